//! What is known about the shared inputs, reproduced with the oracle.

use cullide_oracle::*;
use cullide_scenes::{bounds, bullet_boxes, data_dir, map_brushes};

/// The number of pairs of boxes that share a point: a sweep along x with exact comparisons.
fn closed_pairs<T: Copy + PartialOrd>(boxes: &[[[T; 3]; 2]]) -> usize {
    let mut order: Vec<_> = boxes.iter().collect();
    order.sort_by(|a, b| a[0][0].partial_cmp(&b[0][0]).expect("no NaN"));
    let overlap = |a: &[[T; 3]; 2], b: &[[T; 3]; 2]| (1..3).all(|i| a[0][i] <= b[1][i] && b[0][i] <= a[1][i]);
    let partners = |(i, a): (usize, &&[[T; 3]; 2])| {
        let near = order[i + 1..].iter().take_while(|b| b[0][0] <= a[1][0]);
        near.filter(|b| overlap(a, b)).count()
    };
    order.iter().enumerate().map(partners).sum()
}

#[test]
#[ignore = "reads the shared data"]
fn captured_boxes_have_the_known_pairs() {
    let pairs = ["bounds01", "bounds02", "bounds03"].map(|name| closed_pairs(&bounds(name).expect("readable")));
    assert_eq!(pairs, [650, 14_969, 7155]);
    assert_eq!(closed_pairs(&bullet_boxes().expect("readable")), 12);
}

#[test]
#[ignore = "reads the shared data; slow without --release"]
fn brushes_have_the_known_pairs() {
    for (name, expected) in [("lq_e0m1", 3350), ("lqdm1", 4097), ("lq_e4m4", 18_923)] {
        let path = data_dir().join("librequake").join(name).with_extension("map");
        let boxes: Vec<[[f64; 3]; 2]> = map_brushes(&path)
            .expect("readable")
            .iter()
            .map(|brush| {
                let polytope = Polytope::from_point_triples(brush).expect("a bounded brush");
                let ends = [0, 1, 2].map(|axis| polytope.bounds(axis).map(|end| (end.to_f64() * 1e4).round() / 1e4));
                [0, 1].map(|side| [0, 1, 2].map(|axis| ends[axis][side]))
            })
            .collect();
        assert_eq!(closed_pairs(&boxes), expected, "{name}");
    }
}

#[test]
#[ignore = "reads the shared data; slow without --release"]
fn a_players_moves_stay_outside_the_level_until_lowered_into_it() {
    let text = std::fs::read_to_string(data_dir().join("medusa/solids.json")).expect("readable");
    let level: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let solids: Vec<Vec<[f64; 4]>> = serde_json::from_value(level["solids"].clone()).expect("planes");
    let rows = std::fs::read_to_string(data_dir().join("medusa/speedrun.csv")).expect("readable");
    let positions: Vec<[f64; 3]> = rows
        .lines()
        .skip(1)
        .map(|row| {
            let mut cells = row.split(',').skip(1).map(|cell| cell.parse().expect("a number"));
            [(); 3].map(|()| cells.next().expect("x, y and z"))
        })
        .collect();
    let polytopes: Vec<_> = solids.iter().map(|solid| Polytope::from_planes(solid)).collect();
    let mut moves = 0;
    let mut through = [0, 0];
    for pair in positions.windows(2) {
        let delta: [f64; 3] = std::array::from_fn(|i| pair[1][i] - pair[0][i]);
        let length = delta.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 || length > 100.0 {
            continue;
        }
        moves += 1;
        for (count, lowered) in through.iter_mut().zip([0.0, 0.25]) {
            let start = [pair[0][0], pair[0][1], pair[0][2] - lowered];
            let point = [start, [0.0; 3], [0.0; 3], [0.0; 3]];
            let path = Path::segment(start, delta);
            *count += usize::from(solids.iter().zip(&polytopes).any(|(solid, polytope)| {
                let sweep = || sweep_obb_polytope(point, delta, polytope.as_ref().expect("bounded"));
                path_solid(&path, solid).is_some() && matches!(sweep(), Sweep::Hit(_) | Sweep::Overlap)
            }));
        }
    }
    assert_eq!((moves, through), (2559, [0, 936]));
}
