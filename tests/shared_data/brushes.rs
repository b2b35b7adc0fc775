//! Brushes of real levels: every one builds, no face is lost, and the number of overlapping boxes is the known one.

use cullide_narrowphase::{Brush, glam::DVec3};
use cullide_scenes::{data_dir, map_brushes};

/// The number of pairs of boxes around all brushes, rounded to 1e-4, that share a point and that share an inner point,
/// by brute force.
fn pairs(brushes: &[Brush]) -> (usize, usize) {
    let boxes: Vec<[DVec3; 2]> = brushes
        .iter()
        .map(|brush| {
            let rounded = |v: &DVec3| (*v * 1e4).round() / 1e4;
            let vertices = || brush.vertices().iter().map(rounded);
            [vertices().fold(DVec3::INFINITY, DVec3::min), vertices().fold(DVec3::NEG_INFINITY, DVec3::max)]
        })
        .collect();
    let (mut closed, mut open) = (0, 0);
    for (i, [min, max]) in boxes.iter().enumerate() {
        for [other_min, other_max] in &boxes[..i] {
            closed += usize::from(min.cmple(*other_max).all() && other_min.cmple(*max).all());
            open += usize::from(min.cmplt(*other_max).all() && other_min.cmplt(*max).all());
        }
    }
    (closed, open)
}

fn check(name: &str, brush_count: usize, face_count: usize, pair_counts: (usize, usize)) {
    let map = map_brushes(&data_dir().join("librequake").join(name)).expect("the map is readable");
    let brushes: Vec<Brush> = map
        .iter()
        .map(|faces| {
            let triples: Vec<_> = faces.iter().map(|points| points.map(DVec3::from_array)).collect();
            Brush::from_point_triples(&triples).unwrap_or_else(|error| panic!("{name}: {error}: {triples:?}"))
        })
        .collect();
    assert_eq!(brushes.len(), brush_count);
    assert_eq!(brushes.iter().map(|brush| brush.faces().len()).sum::<usize>(), face_count);
    for brush in &brushes {
        assert_eq!(brush.vertices().len() + brush.faces().len(), brush.edges().len() + 2);
    }
    assert_eq!(pairs(&brushes), pair_counts);
}

#[test]
#[ignore = "reads the shared data"]
fn every_brush_of_the_levels_builds_with_all_of_its_faces() {
    check("lq_e0m1.map", 841, 5095, (3350, 298));
    check("lqdm1.map", 808, 4752, (4097, 1163));
    check("lq_e4m4.map", 3977, 24030, (18923, 6343));
}
