# SPDX-License-Identifier: Apache-2.0
"""The fixed markup of the page; what is in braces is put in by `document`, escaped."""

from __future__ import annotations

BODY = """<a class="skip" href="#gallery">Skip to the gallery</a>
<svg class="symbols" aria-hidden="true">{glyphs}</svg>
<header class="head">
<div><h1>{name}</h1><p class="dim">revision {revision}</p></div>
<ul class="numbers">{numbers}</ul>
<nav aria-label="Parts of the report"><a href="#gallery">Gallery</a><a href="#figures">Figures</a>
<a href="#paper">The paper</a></nav>
</header>
<main>
<section id="gallery" aria-label="Gallery">
<noscript><p>The gallery needs JavaScript; the figures and the table below do not.</p></noscript>
<form class="tools" id="tools" role="search" hidden>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-label="Search"
 placeholder="Search name, description, category" title="press / to search">
<button type="button" id="filters-button" aria-expanded="false" aria-controls="filters">Filters
<span id="active"></span></button>
<label class="sort">Sort <select id="sort"></select></label>
<output id="count" aria-live="polite">Loading</output>
</form>
<p class="problem" id="unknown" role="status" hidden></p>
<div class="browse" id="browse" hidden>
<aside id="filters" aria-label="Filters"><button type="button" id="clear" hidden>Clear all</button>
</aside>
<div class="results"><p id="nothing" class="dim" role="status" hidden></p>
<div id="grid" role="list" aria-label="Objects"></div></div>
</div>
</section>
<section id="figures" aria-label="Figures"><h2>Figures</h2>{figures}</section>
<section id="paper" aria-label="Against the paper"><h2>This build against the paper</h2>
<p>What the paper states of its library, what this build has, and the difference.</p>
{paper}</section>
</main>
<dialog id="object" aria-labelledby="object-name">
<div class="bar"><button type="button" id="previous" aria-label="Previous object"
 title="arrow left">←</button>
<button type="button" id="next" aria-label="Next object"
 title="arrow right">→</button><span id="place" class="dim"></span>
<button type="button" id="copy">Copy address</button>
<button type="button" id="close" aria-label="Close" title="Escape">✕</button></div>
<div id="object-body"></div>
</dialog>
<footer class="dim">{footer}</footer>
"""
