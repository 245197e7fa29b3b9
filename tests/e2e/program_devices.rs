//! The Program screen: several simulated devices, and traces across calls.

use harness::{Page, Test};

use crate::app::IN_CHROME;
use crate::program::{READY, paste, wait_for_run, wait_for_value};

pub const TESTS: &[Test] = harness::tests![
    a_program_runs_on_several_devices,
    a_trace_leads_through_iterations_and_devices: IN_CHROME,
];

const PARTITIONED: &str = "HloModule parts, num_partitions=4\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  \
                           ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n  x = f32[2] parameter(0)\n  p = u32[] partition-id()\n  \
                           n = f32[] convert(p)\n  one = f32[] constant(1)\n  d = f32[] subtract(one, n)\n  \
                           root = f32[] sqrt(d)\n  b = f32[2] broadcast(n), dimensions={}\n  s = f32[2] multiply(x, b)\n  \
                           t = f32[2] all-reduce(s), channel_id=1, replica_groups={}, to_apply=add\n  \
                           r = f32[2] broadcast(root), dimensions={}\n  ROOT out = f32[2] add(t, r)\n}\n";

#[track_caller]
fn open_text(page: &Page, text: &str) {
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    paste(page, "#program-paste", text);
    page.wait_for(READY);
    wait_for_run(page, "done");
}

#[track_caller]
fn wait_for_device(page: &Page, label: &str) {
    page.wait_for(&format!("document.querySelector('label[for=program-device]')?.textContent === '{label}'"));
}

#[track_caller]
fn wait_for_devices(page: &Page, count: &str) {
    page.wait_for(&format!("document.querySelector('#program-devices')?.value === '{count}'"));
}

/// Enters a number of devices.
#[track_caller]
fn enter_devices(page: &Page, count: &str) {
    page.type_into("#program-devices", count);
    page.key("Enter");
}

fn a_program_runs_on_several_devices(page: &Page) {
    open_text(page, PARTITIONED);
    wait_for_value(page, "out");
    wait_for_devices(page, "4");
    wait_for_device(page, "Device 1 of 4");
    assert_eq!(page.count("#first-nan"), 0);
    assert!(page.text("#program-devices-note").contains("next seed"));
    // The root of a negative number: on the third and the fourth device only.
    page.run("document.querySelector('#program-device').focus()");
    page.key("ArrowRight");
    page.key("ArrowRight");
    wait_for_device(page, "Device 3 of 4");
    page.wait_for("document.querySelector('#first-nan')?.textContent.includes('root')");
    page.wait_for("document.querySelector('[data-statistic=program-nans] dd')?.textContent.startsWith('2')");
    assert_eq!(page.text("#program-device-position"), "id 2: replica 0, partition 2");
    page.assert_accessible();
    page.wait_for("location.hash.endsWith(';device=2')");
    page.reload();
    page.wait_for(READY);
    wait_for_run(page, "done");
    wait_for_device(page, "Device 3 of 4");
    page.wait_for("document.querySelector('#first-nan')");
    // Only whole replicas run.
    enter_devices(page, "6");
    page.wait_for(
        "document.querySelector('#program-devices-problem')?.textContent.includes('multiple of 4')",
    );
    page.assert_accessible();
    enter_devices(page, "8");
    page.wait_for("!document.querySelector('#program-devices-problem')");
    wait_for_device(page, "Device 3 of 8");
    page.wait_for("location.hash.includes(';devices=8')");
    wait_for_run(page, "done");
    page.run("history.back()");
    wait_for_devices(page, "4");
    wait_for_device(page, "Device 3 of 4");
    // On one device there is nothing to choose.
    enter_devices(page, "1");
    page.wait_for("!document.querySelector('#device-selector')");
    wait_for_run(page, "done");
    page.run("history.back()");
    wait_for_device(page, "Device 3 of 4");
    wait_for_run(page, "done");
    page.viewport(390, 844);
    page.wait_for("document.documentElement.scrollWidth <= 390");
    // A program for one device has no such field.
    open_text(
        page,
        "HloModule alone\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n",
    );
    wait_for_value(page, "y");
    assert_eq!((page.count("#program-devices"), page.count("#device-selector")), (0, 0));
}

const LOOP: &str = "HloModule loop\n\ncond {\n  i = s32[] parameter(0)\n  k = s32[] constant(3)\n  \
                    ROOT l = pred[] compare(i, k), direction=LT\n}\n\nbody {\n  j = s32[] parameter(0)\n  u = s32[] constant(1)\n  \
                    ROOT next = s32[] add(j, u)\n}\n\nENTRY e {\n  z = s32[] constant(1)\n  \
                    ROOT w = s32[] while(z), condition=cond, body=body\n}\n";

fn a_trace_leads_through_iterations_and_devices(page: &Page) {
    let choose_cell = |path: &str| {
        page.wait_for("document.querySelector('#program-grid')");
        page.run("document.querySelector('#program-grid').focus()");
        page.key("ArrowRight");
        page.wait_for(&format!("document.querySelector('{path}')"));
    };
    open_text(page, PARTITIONED);
    wait_for_value(page, "out");
    choose_cell("#trace-back [data-name=s]");
    // The operands of the sum on all devices.
    page.wait_for("document.querySelectorAll('#trace-back [data-name=s]').length === 4");
    assert!(page.texts("#trace-back [data-name=s] .trace-name")[3].contains("device 4"));
    page.assert_accessible();
    page.run("document.querySelectorAll('#trace-back [data-name=s] .trace-name')[3].click()");
    wait_for_value(page, "s");
    wait_for_device(page, "Device 4 of 4");
    page.wait_for("document.querySelector('#trace-on [data-name=out]')");
    // From the result of a loop to its last iteration, and to the initial value.
    open_text(page, LOOP);
    wait_for_value(page, "w");
    choose_cell("#trace-back [data-name=z]");
    let last = "document.querySelector('#trace-back [data-name=next] .trace-name')";
    page.wait_for(&format!("{last}?.textContent.includes('execution 2')"));
    page.run(&format!("{last}.click()"));
    wait_for_value(page, "next");
    page.wait_for("document.querySelector('#program-execution')?.value === '1'");
    page.wait_for("document.querySelector('#trace-back [data-name=z]')");
}
