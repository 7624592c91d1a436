# SPDX-License-Identifier: Apache-2.0
"""The programs of the OpenGL backend, with the numbers of `look`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render.look import (
    AMBIENT,
    BACKGROUND,
    FILL,
    FILL_DIRECTION,
    FULL,
    HALFWAY,
    KEY,
    KEY_DIRECTION,
    SHADOW_STRENGTH,
    SHININESS_DOUBLINGS,
    SPECULAR,
)


def _vec3(values: NDArray[np.float64] | tuple[float, ...]) -> str:
    return "vec3(" + ", ".join(f"{value:.9f}" for value in values) + ")"


MESH_VERTEX = """#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
layout(location = 3) in vec2 uv;
uniform mat4 clip;
uniform mat3 turn;
out vec3 frag_normal;
out vec4 frag_color;
out vec2 frag_uv;

void main() {
    gl_Position = clip * vec4(position, 1.0);
    frag_normal = turn * normal;
    frag_color = color;
    frag_uv = uv;
}
"""

# `paint` replaces the colors of a part where its opacity is not zero.
MESH_FRAGMENT = f"""
in vec3 frag_normal;
in vec4 frag_color;
in vec2 frag_uv;
uniform sampler2D image;
uniform vec4 paint;
out vec4 pixel;

void main() {{
    vec4 color = paint.a > 0.0 ? paint : frag_color;
#ifdef TEXTURED
    color *= texture(image, frag_uv);
#endif
    vec3 n = normalize(gl_FrontFacing ? frag_normal : -frag_normal);
    float diffuse = ({AMBIENT} + {KEY} * max(dot(n, {_vec3(KEY_DIRECTION)}), 0.0)
        + {FILL} * max(dot(n, {_vec3(FILL_DIRECTION)}), 0.0)) / {FULL};
    float highlight = max(dot(n, {_vec3(HALFWAY)}), 0.0);
    for (int k = 0; k < {SHININESS_DOUBLINGS}; k++) highlight *= highlight;
    pixel = vec4(color.rgb * min(diffuse, 1.0) + {SPECULAR} * highlight, color.a);
}}
"""

PLAIN_FRAGMENT = f"#version 330 core{MESH_FRAGMENT}"
TEXTURED_FRAGMENT = f"#version 330 core\n#define TEXTURED{MESH_FRAGMENT}"

# One triangle that covers the picture; row 0 of `darkness` is the upper one.
GROUND_VERTEX = """#version 330 core
out vec2 place;
void main() {
    vec2 corner = vec2((gl_VertexID & 1) * 2, gl_VertexID & 2);
    place = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}
"""

GROUND_FRAGMENT = f"""#version 330 core
in vec2 place;
uniform sampler2D darkness;
out vec4 pixel;
void main() {{
    float light = 1.0 - {SHADOW_STRENGTH} * texture(darkness, place).r;
    pixel = vec4(light * {_vec3(BACKGROUND)}, 1.0);
}}
"""
