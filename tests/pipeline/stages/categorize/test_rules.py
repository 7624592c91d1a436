# SPDX-License-Identifier: Apache-2.0
"""Labels, record ids and prompts become categories, step by step; people have the last word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aa_dataset.format.labels import RULES, format_trace, parse_trace
from pipeline.raw.taxonomy import Taxonomy, load_taxonomy, plain_label, read_taxonomy
from pipeline.stages.categorize.rules import decide, explain, singular
from tests.pipeline.stages.categorize.conftest import REPOSITORY

HEX = "9c49ebf95fbb477088ecaf8f319f1011"


def trace(rule: Any, *arguments: str, **more: str) -> str:
    return format_trace(rule(*arguments, **more).steps)


@pytest.mark.parametrize("label", ["TrashCan", "trash_can", "trash-can", " Trash  Can "])
def test_spellings_of_one_class_merge(rule: Any, label: str) -> None:
    decision = rule(label, "partnet_mobility")
    assert decision.category.name == "trash_can"
    assert format_trace(decision.steps) == "metadata: trash_can"


def test_plain_label_folds_accents_and_apostrophes() -> None:
    assert plain_label("Café Chair") == "cafe_chair"
    assert plain_label("Carpenter's Vise") == "carpenters_vise"
    assert plain_label("椅子") == ""


def test_a_label_of_another_name_is_an_alias(rule: Any) -> None:
    assert trace(rule, "USB", "partnet_mobility") == "metadata: usb > alias: usb_drive"


def test_metadata_is_not_shortened(rule: Any) -> None:
    assert rule("digital_piano", "artiverse").category.name == "digital_piano"
    assert rule("folding_umbrella_stand", "artiverse").category is None


@pytest.mark.parametrize(
    ("record_id", "expected"),
    [
        (f"rec_articulated_task_lamp_{HEX}",
         "record id: articulated_task_lamp > without articulated: task_lamp"),
        ("rec_branching_tree_with_two_independent_rotary_branches_0008",
         "record id: branching_tree_with_two_independent_rotary_branches > "
         "cut at with: branching_tree"),
        (f"rec_robotic_arms_{HEX}", "record id: robotic_arms > singular: robotic_arm"),
        (f"rec_gear_assemblies_{HEX}", "record id: gear_assemblies > singular: gear_assembly"),
        (f"rec_folding_arm_chain_{HEX}", "record id: folding_arm_chain"),
        (f"rec_folding_kick_scooter_{HEX}",
         "record id: folding_kick_scooter > without folding: kick_scooter"),
        (f"rec_hinged_window_or_hatch_{HEX}",
         "record id: hinged_window_or_hatch > without hinged: window_or_hatch"),
        ("rec_benchtop_monocular_laboratory_microscope_0001",
         "record id: benchtop_monocular_laboratory_microscope > "
         "without benchtop: monocular_laboratory_microscope > alias: microscope"),
    ],
)  # fmt: skip
def test_record_ids(rule: Any, record_id: str, expected: str) -> None:
    assert trace(rule, "ignored", "articraft", record_id) == expected


def test_a_record_id_overrules_the_category_slug(rule: Any) -> None:
    decision = rule("single_yaw_axis_module", "articraft", f"rec_pan_mechanism_{HEX}")
    assert decision.category.name == "pan_mechanism"


def test_a_free_prompt_has_priority_over_the_slug(rule: Any) -> None:
    record = "rec_create-a-black-adjustable-desk-lamp_20260423_092936_989069_06f1bc16"
    decision = rule("articulated_task_lamp", "articraft", record)
    assert decision.category.name == "desk_lamp"


def test_a_truncated_prompt_has_lost_its_noun_so_the_slug_decides(rule: Any) -> None:
    record = "rec_create-a-simple-articulated-wooden-treasure-ches_20260426_032637_403051_f1a1c34c"
    decision = rule("treasure_chest_with_hinged_lid", "articraft", record)
    assert decision.category.name == "treasure_chest"
    rules = [step.rule for step in decision.steps]
    assert rules[0] == "prompt" and "category slug" in rules and rules[-1] == "cut at with"


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("pliers_typically_feature_two_rigid", "pliers"),
        ("mechanical_robot_arm_with", "robotic_arm"),
        ("step1_a_cabinet_with_a_drawer", "cabinet"),
        ("a_cabinet_with_five_drawers_1", "cabinet"),
        ("a_keyboard_2", "keyboard"),
        ("a realistic model of an office desk lamp", "desk_lamp"),
        ("Two-door refrigerator that has a freezer", "refrigerator"),
        ("create_a_pair_of_scissors", "scissors"),
        ("oven", "oven"),
    ],
)
def test_prompts(rule: Any, label: str, category: str) -> None:
    assert rule(label, "articulated_object_code").category.name == category


def test_the_longest_end_of_a_phrase_wins(rule: Any) -> None:
    decision = rule("a sit down driving arcade cabinet", "articulated_object_code")
    assert decision.category.name == "arcade_machine"


def test_an_object_without_a_label_is_read_by_its_name(rule: Any) -> None:
    decision = rule("", "local", name="A wooden nightstand with two drawers")
    assert decision.category.name == "nightstand"
    assert decision.steps[0].rule == "name"


def test_unknown_labels_keep_what_they_were_reduced_to(rule: Any) -> None:
    decision = rule("ignored", "articraft", f"rec_simple_quern_with_handle_{HEX}")
    assert decision.category is None
    assert format_trace(decision.steps) == (
        "record id: simple_quern_with_handle > cut at with: simple_quern > without simple: quern "
        "> unknown: quern"
    )


def test_explain_uses_the_tables_of_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    load_taxonomy.cache_clear()
    steps = explain("Remote", source="partnet_mobility", source_id="100013")
    assert [step.rule for step in steps] == ["metadata", "alias"]
    assert load_taxonomy().find("Remote")[0].name == "remote_control"
    assert load_taxonomy().find("Refrigerator")[1] == "metadata"
    assert load_taxonomy().find("quern")[0] is None
    load_taxonomy.cache_clear()


def reviewed(folder: Path, *rows: str) -> Taxonomy:
    with (folder / "reviews.tsv").open("a") as stream:
        stream.writelines(f"{row}\n" for row in rows)
    return read_taxonomy(folder)


def test_a_review_of_an_object_has_the_last_word(folder: Path) -> None:
    tables = reviewed(folder, "artiverse-17\tarmoire\tAnna B\tit is one")
    facts: dict[str, Any] = {"source": "artiverse", "taxonomy": tables}
    decision = decide("nightstand", source_id="17", **facts)
    assert decision.category is not None and decision.category.name == "armoire"
    assert format_trace(decision.steps) == "metadata: nightstand > review by anna_b: armoire"
    other = decide("nightstand", source_id="18", **facts)
    assert other.category is not None and other.category.name == "nightstand"


def test_a_review_of_a_label_holds_for_every_object_with_it(folder: Path) -> None:
    tables = reviewed(folder, "quern\tgrill\tanna\tfor the test")
    for label, source in (("Quern", "artiverse"), ("a_stone_quern", "articulated_object_code")):
        decision = decide(label, source=source, source_id="1", taxonomy=tables)
        assert decision.category is not None and decision.category.name == "grill"


def test_a_proposal_counts_only_after_a_review(folder: Path) -> None:
    with (folder / "proposals.tsv").open("a") as stream:
        stream.write("artiverse-1\tquern\tgrill\tKitchen & Cooking\tsome-model\tlooks like it\n")
    facts: dict[str, Any] = {"source": "artiverse", "source_id": "1"}
    assert decide("quern", taxonomy=read_taxonomy(folder), **facts).category is None
    tables = reviewed(folder, "artiverse-1\tgrill\tanna\tproposal accepted")
    assert decide("quern", taxonomy=tables, **facts).category is not None


@pytest.mark.parametrize(
    ("word", "one"),
    [("robotic_arms", "robotic_arm"), ("assemblies", "assembly"), ("glass", "glass"), ("", "")],
)
def test_singular(word: str, one: str) -> None:
    assert singular(word) == one


@given(st.text(max_size=60), st.sampled_from(["articraft", "articulated_object_code", "local"]))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_a_trace_that_can_be_read_back(text: str, source: str) -> None:
    tables = read_cached()
    for identifier in ("x", text, f"rec_{text}_0001"):
        decision = decide(text, source=source, source_id=identifier, name=text, taxonomy=tables)
        assert tuple(parse_trace(format_trace(decision.steps))) == decision.steps
        assert (decision.category is None) == (decision.steps[-1].rule == "unknown")
        assert all(step.meaning in RULES.values() for step in decision.steps)


def read_cached(_kept: list[Taxonomy] = []) -> Taxonomy:  # noqa: B006
    if not _kept:
        _kept.append(read_taxonomy(REPOSITORY / "taxonomy"))
    return _kept[0]


@pytest.mark.parametrize(
    ("path", "label", "category"),
    [
        ("robots/go2_description/urdf/go2", "go2", "quadruped_robot"),
        ("kuka_iiwa/model_free_base", "model_free_base", "robotic_arm"),
        ("franka_emika_panda/scene", "franka_emika_panda", "robotic_arm"),
        ("franka_emika_panda/hand", "franka_emika_panda", "robotic_gripper"),
        ("franka_description/urdf/hand", "hand", "robotic_gripper"),
        ("val_description/model/robots/forearm_left", "forearm_left", "robotic_arm"),
        ("robots/spot_arm/robot", "robot", "robotic_arm"),
        ("grippers/jaco_gripper", "jaco_gripper", "robotic_gripper"),
        ("robots/talos_left_arm", "talos_left_arm", "robotic_arm"),
        ("mujoco/assets/ant", "ant", "quadruped_robot"),
        ("calvin_table_B/urdf/calvin_table_B", "calvin_table_B", "table"),
        ("b1_description/urdf/b1-z1", "b1-z1", "quadruped_robot"),
        ("ur_description/urdf/ur5_gripper", "ur5_gripper", "robotic_arm"),
        ("g1_description/inspire_hand/DFQ_left_hand", "DFQ_left_hand", "robotic_hand"),
        ("data/MPL/mpl2", "mpl2", "robotic_hand"),
        ("data/mjcf/thrower", "thrower", "robotic_arm"),
        ("mini_cheetah/mini_cheetah", "mini_cheetah", "quadruped_robot"),
        ("xarm/xarm6_robot_white", "xarm6_robot_white", "robotic_arm"),
        ("biped/biped2d_pybullet", "biped2d_pybullet", "bipedal_robot"),
        ("articulated_objects/wooden_cabinet", "wooden_cabinet", "cabinet"),
        ("furniture/cabinet_b1", "cabinet_b1", "uncategorized"),
        ("things/thing", "thing", "uncategorized"),
        ("anything/model", "Fridge", "refrigerator"),
    ],
)
def test_models_of_collections_are_known_by_their_names(
    path: str, label: str, category: str
) -> None:
    found = decide(label, source="tail", source_id=f"c/{path}.urdf", name=path)
    assert (found.category.name if found.category else "uncategorized") == category


def test_names_of_models_count_in_collections_only() -> None:
    found = decide("go2", source="partnet_mobility", source_id="1", name="go2")
    assert found.category is None
