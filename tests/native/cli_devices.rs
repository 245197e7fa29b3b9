//! `eval` of modules whose header states several partitions.

use crate::cli_hlo::run;

const PARTITIONED: &str = "HloModule m, num_partitions=4
ENTRY e {
  x = f32[2] parameter(0)
  p = u32[] partition-id()
  n = f32[] convert(p)
  b = f32[2] broadcast(n), dimensions={}
  s = f32[2] add(x, b)
  ROOT r = f32[2] collective-permute(s), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
}
";

#[test]
fn devices_are_partitions_if_the_header_states_them() {
    for flag in ["--devices", "--replicas"] {
        let (code, out, err) = run(&["eval", "-", flag, "4", "--arg", "f32[2] {10, 20}"], PARTITIONED);
        let expected = "replica 0: f32[2]{0} {13, 23}\nreplica 1: f32[2]{0} {10, 20}\n\
                        replica 2: f32[2]{0} {11, 21}\nreplica 3: f32[2]{0} {12, 22}\n";
        assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
    }
    // Eight devices are two replicas of four partitions.
    let (code, out, _) = run(&["eval", "-", "--devices", "8", "--arg", "f32[2] {10, 20}"], PARTITIONED);
    assert_eq!((code, out.lines().nth(4)), (0, Some("replica 4: f32[2]{0} {13, 23}")));
}

#[test]
fn a_number_of_devices_that_the_partitions_do_not_divide_is_rejected() {
    let (code, out, err) = run(&["eval", "-", "--devices", "6", "--arg", "f32[2] {10, 20}"], PARTITIONED);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("has 4 partitions") && err.contains("6 devices"), "{err}");
}

#[test]
fn a_run_on_one_device_of_several_is_noted() {
    let alone = PARTITIONED.replace(
        "collective-permute(s), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}",
        "negate(s)",
    );
    let (code, out, err) = run(&["eval", "-", "--arg", "f32[2] {10, 20}"], &alone);
    assert_eq!((code, out.as_str()), (0, "f32[2]{0} {-10, -20}\n"));
    assert!(err.contains("for 4 devices; device 0 runs alone") && err.contains("--devices 4"), "{err}");
    let (_, _, err) = run(&["eval", "-", "--arg", "f32[2] {10, 20}"], &alone.replace("=4\n", "=1\n"));
    assert_eq!(err, "");
}
