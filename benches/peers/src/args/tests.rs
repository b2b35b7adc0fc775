use super::*;
use cullide_scenes::SEED;

fn parsed(line: &str) -> Result<Request, String> {
    parse(line.split_whitespace().map(OsString::from)).map(|(request, _)| request)
}

#[test]
fn a_scene_may_be_followed_by_its_size() {
    let run = |scenes, runs| Ok(Request::Static(Static { scenes, runs, seed: SEED }));
    assert_eq!(parsed("static"), run(vec![], 5));
    assert_eq!(parsed("static city"), run(vec![Scene::City(100_000)], 5));
    assert_eq!(parsed("static uniform 77 --runs 3"), run(vec![Scene::Uniform(77)], 3));
    assert_eq!(parsed("--runs=0 static bounds02"), run(vec![Scene::File("bounds02".into())], 1));
}

#[test]
fn a_motion_may_be_followed_by_its_size() {
    let run = |motions: &[Motion], sizes: &[usize], frames, runs| {
        let (motions, sizes) = (motions.to_vec(), sizes.to_vec());
        Ok(Request::Moving(Moving { motions, sizes, frames, runs, seed: SEED }))
    };
    let sizes = [1000, 10_000, 64_000];
    assert_eq!(parsed("moving"), run(&[Motion::Slow, Motion::Fast, Motion::Few], &sizes, None, 3));
    assert_eq!(parsed("moving free-fall"), run(&[Motion::FreeFall], &sizes, None, 3));
    assert_eq!(parsed("moving fast 77 --frames 5 --runs 2"), run(&[Motion::Fast], &[77], Some(5), 2));
    assert_eq!(parsed("moving million"), run(&[Motion::Rare], &[1_000_000], None, 3));
}

#[test]
fn bumpy_ground_may_have_any_number_of_crates_and_steps() {
    let run = |n, steps| Ok(Request::Bumpy(Bumpy { n, steps, runs: 3, seed: SEED }));
    assert_eq!(parsed("bumpy"), run(200, 600));
    assert_eq!(parsed("bumpy 7 --steps 9"), run(7, 9));
}

#[test]
fn a_pile_may_be_followed_by_its_size() {
    let run = |piles: &[Pile], steps, runs| Ok(Request::Pile(Piles { piles: piles.to_vec(), steps, runs, seed: SEED }));
    let both = [Pile::Heap(1000), Pile::Heap(5000)];
    let others = [Pile::Stack(20), Pile::Pyramid(30), Pile::Bumpy(200)];
    assert_eq!(parsed("pile"), run(&[&both[..], &others].concat(), None, 3));
    assert_eq!(parsed("pile heap"), run(&both, None, 3));
    assert_eq!(parsed("pile heap 77 --runs 1"), run(&[Pile::Heap(77)], None, 1));
    assert_eq!(parsed("pile pyramid 5 --steps 9"), run(&[Pile::Pyramid(5)], Some(9), 3));
}

#[test]
fn a_room_may_have_several_speeds_and_spins() {
    let run = |n, speeds: &[f32], spins: &[f32], steps| {
        let (speeds, spins) = (speeds.to_vec(), spins.to_vec());
        Ok(Request::Room(Room { n, speeds, spins, steps, runs: 3, seed: SEED }))
    };
    assert_eq!(parsed("room"), run(1000, &[50.0, 500.0, 5000.0], &[0.0, 30.0], 200));
    assert_eq!(parsed("room 77 --speed 5 0.5 --spin 3 --steps 9"), run(77, &[5.0, 0.5], &[3.0], 9));
    assert_eq!(parsed("room --speed=5 --speed=6 77"), run(77, &[5.0, 6.0], &[0.0, 30.0], 200));
}

#[test]
fn sweeps_may_be_fewer() {
    let run = |n, runs, seed| Ok(Request::Sweep(Sweep { n, runs, seed }));
    assert_eq!(parsed("sweep"), run(100_000, 5, SEED));
    assert_eq!(parsed("sweep 77 --runs 2 --seed 9"), run(77, 2, 9));
}

#[test]
fn capsules_may_be_fewer() {
    let run = |n, runs, seed| Ok(Request::Capsule(Capsules { n, runs, seed }));
    assert_eq!(parsed("capsule"), run(4096, 15, SEED));
    assert_eq!(parsed("capsule 77 --runs 2 --seed 9"), run(77, 2, 9));
}

#[test]
fn a_level_may_have_fewer_boxes_and_steps() {
    let run = |n, steps, runs| Ok(Request::Level(Level { n, steps, runs, seed: SEED }));
    assert_eq!(parsed("level"), run(10_000, 60, 3));
    assert_eq!(parsed("level 77 --steps 9 --runs 1"), run(77, 9, 1));
}

#[test]
fn a_terrain_may_be_followed_by_its_side_and_files_have_names() {
    let run = |scenes, runs| Ok(Request::Mesh(Meshes { scenes, embree4: None, runs, seed: SEED }));
    let file = |name: &str| Source::File(name.into());
    let all = vec![Source::Fractal(708), file("lq_e4m4"), file("collision_mesh_01"), file("bunny")];
    assert_eq!(parsed("mesh"), run(all, 3));
    assert_eq!(parsed("mesh terrain"), run(vec![Source::Fractal(708)], 3));
    assert_eq!(parsed("mesh terrain 1 --runs 2"), run(vec![Source::Fractal(2)], 2));
    assert_eq!(parsed("mesh bunny"), run(vec![file("bunny")], 3));
    let Ok(Request::Mesh(with_embree)) = parsed("mesh bunny --embree4 a/b.so") else { panic!("it is well-formed") };
    assert_eq!(with_embree.embree4, Some(PathBuf::from("a/b.so")));
}

#[test]
fn a_report_goes_to_a_folder_and_may_come_from_a_file() {
    let run = |out: &str, from: Option<&str>, runs| {
        Ok(Request::Report(Report { out: out.into(), from: from.map(PathBuf::from), runs, seed: SEED }))
    };
    assert_eq!(parsed("report"), run("target/report", None, 5));
    assert_eq!(parsed("report --out a --from b/c.csv --runs 9"), run("a", Some("b/c.csv"), 9));
}

#[test]
fn every_command_may_be_allowed_fewer_instructions() {
    let allowed = |line: &str| parse(line.split_whitespace().map(OsString::from)).map(|(_, instructions)| instructions);
    assert_eq!(allowed("mesh bunny"), Ok(Instructions::All));
    assert_eq!(allowed("mesh bunny --instructions avx2"), Ok(Instructions::Avx2));
    assert_eq!(allowed("--instructions=sse pile"), Ok(Instructions::Sse));
}

#[test]
fn a_bad_argument_is_named() {
    for (line, named) in [
        ("turning", "turning"),
        ("static city x", "x"),
        ("static city 5 6", "6"),
        ("static bounds02 5", "bounds02"),
        ("static --frames 5", "--frames"),
        ("moving sideways", "sideways"),
        ("moving fast many", "many"),
        ("static --speed 5", "--speed"),
        ("moving --steps 5", "--steps"),
        ("room big", "big"),
        ("room 5 6", "6"),
        ("room --frames 5", "--frames"),
        ("room --speed fast", "fast"),
        ("room --speed 5 -6", "-6"),
        ("room --spin=-6", "-6"),
        ("room --spin inf", "inf"),
        ("sweep many", "many"),
        ("sweep 5 6", "6"),
        ("sweep --spin 5", "--spin"),
        ("pile sand", "sand"),
        ("pile heap many", "many"),
        ("pile heap 5 6", "6"),
        ("pile --frames 5", "--frames"),
        ("capsule many", "many"),
        ("capsule --spin 5", "--spin"),
        ("level --speed 5", "--speed"),
        ("mesh bunny 5", "bunny"),
        ("mesh terrain x", "x"),
        ("mesh terrain 5 6", "6"),
        ("mesh --steps 5", "--steps"),
        ("mesh --out a", "--out"),
        ("static --embree4 a", "--embree4"),
        ("report bunny", "bunny"),
        ("report --from", "--from"),
        ("mesh --instructions mmx", "mmx"),
        ("--no", "--no"),
    ] {
        assert!(parsed(line).unwrap_err().contains(named), "{line}");
    }
}
