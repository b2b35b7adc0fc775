//! The readers find in the files what is known to be there.

use cullide_scenes::{bounds, bullet_boxes, data_dir, map_brushes, map_spots};

#[test]
#[ignore = "reads the shared data"]
fn the_files_have_the_boxes_they_are_said_to_have() {
    let count = |name| bounds(name).expect("readable").len();
    assert_eq!(["bounds01", "bounds02", "bounds03"].map(count), [288, 4221, 268]);
    assert_eq!(bullet_boxes().expect("readable").len(), 32_006);
    let maps = [("lq_e0m1", 841, 5095), ("lqdm1", 808, 4752), ("lq_e4m4", 3977, 24_030)];
    for (name, brushes, faces) in maps {
        let path = data_dir().join("librequake").join(name).with_extension("map");
        let found = map_brushes(&path).expect("readable");
        assert_eq!((found.len(), found.iter().map(Vec::len).sum()), (brushes, faces), "{name}");
        assert!(map_spots(&path).expect("readable").len() > 10, "{name}");
    }
}
