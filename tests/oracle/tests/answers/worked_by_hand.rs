//! Answers worked out on paper, mostly with a box of 2 × 3 × 5 with a corner at the origin.

use cullide_oracle::*;

const BOX: [[f32; 3]; 2] = [[0.0; 3], [2.0, 3.0, 5.0]];
/// The same box as centre and half edges.
const EDGES: [[f32; 3]; 4] = [[1.0, 1.5, 2.5], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0], [0.0, 0.0, 2.5]];
/// Half extents 5, 10 and 3, rotated so that the first edge is along (3, 4, 0).
const TURNED: [[f32; 3]; 4] = [[0.0; 3], [3.0, 4.0, 0.0], [-8.0, 6.0, 0.0], [0.0, 0.0, 3.0]];
const STILL: [f32; 3] = [0.0; 3];

fn quotient(numerator: i32, denominator: i32) -> Ratio {
    Ratio::new(Exact::new(numerator), Exact::new(denominator))
}

fn is(parameter: &Parameter, numerator: i32, denominator: i32) -> bool {
    matches!(parameter, Parameter::Quotient(ratio) if *ratio == quotient(numerator, denominator))
}

#[test]
fn a_path_enters_and_leaves_a_box_at_thirds() {
    let path = Path::segment([-1.0f32, 1.0, 1.0], [9.0, 0.0, 3.0]);
    for crossing in [path_aabb(&path, BOX), path_obb(&path, EDGES)] {
        let crossing = crossing.expect("through both x faces");
        assert!(is(&crossing.enter, 1, 9) && is(&crossing.exit.unwrap(), 1, 3) && !crossing.inside);
    }
    assert!(path_aabb(&Path::ray([-1.0f32, 1.0, 1.0], [9.0, 0.0, 3.0], 0.111), BOX).is_none());
    // A path that stays at a corner is inside forever.
    let corner = path_aabb(&Path::segment([2.0f32, 3.0, 5.0], STILL), BOX).expect("touching");
    assert!(corner.inside && corner.exit.is_none());
}

#[test]
fn a_turned_box_is_entered_where_its_slab_begins() {
    // Along (3, 4, 0) the box reaches ±1 half edge: from -2 half edges at speed 4 that is t in [1/4, 3/4].
    let path = Path::segment([-6.0f32, -8.0, 1.0], [12.0, 16.0, 0.0]);
    let crossing = path_obb(&path, TURNED).expect("through the middle");
    assert!(is(&crossing.enter, 1, 4) && is(&crossing.exit.unwrap(), 3, 4));
    assert!(path_obb(&Path::segment([-6.0f32, -8.0, 3.1], [12.0, 16.0, 0.0]), TURNED).is_none());
}

#[test]
fn a_sphere_is_entered_at_the_root() {
    // From (-4, 1, 0) along x by 8 into the ball of radius 2: x = -√3 and √3.
    let crossing = path_sphere(&Path::segment([-4.0f32, 1.0, 0.0], [8.0, 0.0, 0.0]), [0.0f32, 0.0, 0.0, 2.0]).unwrap();
    let root3 = 3f64.sqrt();
    assert!(crossing.enter.within((4.0 - root3) / 8.0, 1e-15));
    assert!(crossing.exit.unwrap().within((4.0 + root3) / 8.0, 1e-15));
    let tangent = Path::segment([-4.0f32, 2.0, 0.0], [8.0, 0.0, 0.0]);
    assert!(path_sphere(&tangent, [0.0f32, 0.0, 0.0, 2.0]).unwrap().enter.within(0.5, 0.0));
    assert!(path_sphere(&tangent, [0.0f32, 0.0, 0.0, 2f32.next_down()]).is_none());
    let away = Path::segment([0.0f32, 2.0, 0.0], [0.0, 1.0, 0.0]);
    assert!(path_sphere(&away, [0.0f32, 0.0, 0.0, 2.0]).unwrap().inside);
}

#[test]
fn a_polygon_is_hit_inside_and_on_its_edges_but_not_beyond() {
    let triangle = [[0.0f32, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    let down = |x: f32, y: f32| path_polygon(&Path::segment([x, y, 5.0], [0.0, 0.0, -7.0]), &triangle);
    assert!(is(&down(1.0, 0.5).expect("inside").enter, 5, 7));
    assert!(down(1.5, 1.0).is_some() && down(3.0, 0.0).is_some());
    assert!(down(1.5, 1.000_000_1).is_none() && down(-1e-30, 0.5).is_none());
    let along = Path::segment([-1.0f32, 0.5, 0.0], [8.0, 0.0, 0.0]);
    let crossing = path_patch(&along, [0.0f32, 0.0, 1.0, 0.0], &triangle).expect("in its plane");
    // From x = 0 to x = 9/4.
    assert!(is(&crossing.enter, 1, 8) && is(&crossing.exit.unwrap(), 13, 32));
}

#[test]
fn sides_change_at_the_touch() {
    // The plane 3x + 4z = d: the box spans 0 to 26.
    for (d, side) in
        [(0.5f32, Side::Front), (0.0, Side::Straddling), (-26.0, Side::Straddling), (-26.000_002, Side::Back)]
    {
        assert_eq!(side_of_aabb([3.0, 0.0, 4.0, d], BOX), side);
        assert_eq!(side_of_obb([3.0, 0.0, 4.0, d], EDGES), side);
    }
    assert_eq!(side_of_point([3.0f32, 0.0, 4.0, -26.0], BOX[1]), Side::Straddling);
    // |(3, 0, 4)| = 5: a radius of 2 reaches a height of 10.
    assert_eq!(
        side_of_sphere([3.0f32, 0.0, 4.0, 10.0], [0.0f32, 0.0, 0.0, 2.0], NormalLength::Stored),
        Side::Straddling
    );
    assert_eq!(side_of_sphere([3.0f32, 0.0, 4.0, -10.5], [0.0f32, 0.0, 0.0, 2.0], NormalLength::Stored), Side::Back);
}

#[test]
fn distances_to_a_turned_box_are_to_its_face_edge_or_corner() {
    // In the frame of the box, half extents are 5, 10 and 3.
    let at = |along: f32, across: f32, up: f32| [0.6 * along - 0.8 * across, 0.8 * along + 0.6 * across, up];
    for (point, squared) in
        [(at(5.0, 0.0, 3.0), 0), (at(0.0, 15.0, 0.0), 25), (at(10.0, 15.0, 0.0), 50), (at(0.0, 0.0, 9.0), 36)]
    {
        assert_eq!(obb_distance_squared(TURNED, point), Exact::new(squared).into(), "{point:?}");
    }
    assert!(obb_sphere(TURNED, [0.0f32, 0.0, 9.0, 6.0]) && !obb_sphere(TURNED, [0.0f32, 0.0, 9.0, 5.999]));
    assert!(aabb_sphere(BOX, [5.0f32, 7.0, 5.0, 5.0]) && !aabb_sphere(BOX, [5.0f32, 7.0, 5.000_001, 5.0]));
    assert!(sphere_sphere([0.0f32, 0.0, 0.0, 2.0], [3.0f32, 4.0, 0.0, 3.0]));
}

#[test]
fn boxes_with_crossed_edges_meet_only_when_the_edges_do() {
    // Two bars crossed like a plus sign, one above the other, with rhombic cross-sections: edge over edge.
    let below = [[0.0f32; 3], [5.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0]];
    let above = |z: f32| [[0.0, 0.0, z], [0.0, 3.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0]];
    assert!(obb_obb(below, above(4.0)));
    assert!(!obb_obb(below, above(4f32.next_up())));
}

#[test]
fn a_frustum_test_by_planes_keeps_a_box_that_the_exact_one_drops() {
    // A wedge |x| <= z/4, z >= 0, and a wide low box in front of its tip: it is behind no single plane.
    let wedge = [[4.0f32, 0.0, 1.0, 0.0], [-4.0, 0.0, 1.0, 0.0]];
    let before = [[-9.0f32, -1.0, -2.0], [9.0, 1.0, -1.0]];
    assert_eq!(frustum_planes_aabb(&wedge, before), Containment::Crossing);
    assert_eq!(frustum_aabb(&wedge, before), Containment::Outside);
    assert_eq!(frustum_aabb(&wedge, [[-9.0f32, -1.0, -2.0], [9.0, 1.0, 0.0]]), Containment::Crossing);
    assert_eq!(frustum_aabb(&wedge, [[-1.0f32, 0.0, 4.0], [1.0, 3.0, 9.0]]), Containment::Inside);
    assert!(frustum_contains_point(&wedge, [1.0f32, 7.0, 4.0]) && !frustum_contains_point(&wedge, [1.1f32, 7.0, 4.0]));
}

#[test]
fn a_sphere_touching_a_frustum_plane_from_within_is_inside() {
    let slab = [[0.0f32, 3.0, 0.0, 0.0], [0.0, -3.0, 0.0, 30.0]];
    let class = |y: f32, radius: f32| frustum_sphere(&slab, [0.0f32, y, 0.0, radius], NormalLength::Stored);
    assert_eq!(class(5.0, 5.0), Containment::Inside);
    assert_eq!(class(5.0, 5.1), Containment::Crossing);
    assert_eq!(class(-2.0, 2.0), Containment::Crossing);
    assert_eq!(class(-2.0, 1.9), Containment::Outside);
}

#[test]
fn a_box_reaches_the_floor_when_its_lowest_point_does() {
    let floor = [0.0f32, 1.0, 0.0, 0.0];
    let drop = |y: f32, dy: f32, sided| {
        let obb = [[0.0, y, 0.0], EDGES[1], EDGES[2], EDGES[3]];
        sweep_obb_plane(obb, [0.0, dy, 0.0], floor, STILL, sided)
    };
    for sided in [Sided::Front, Sided::Both] {
        assert!(is(drop(4.5, -9.0, sided).toi().expect("3 units at 9 a step"), 1, 3));
        assert!(is(drop(1.5, -1e-30, sided).toi().expect("resting and pressing"), 0, 1));
        assert!(matches!(drop(1.5, 0.0, sided), Sweep::Clear), "resting");
        assert!(matches!(drop(4.5, -3.0, sided), Sweep::Clear), "touching at 1 belongs to the next step");
        assert!(matches!(drop(1.0, 5.0, sided), Sweep::Overlap));
    }
    assert!(matches!(drop(-2.0, 9.0, Sided::Front), Sweep::Clear), "from behind");
    assert!(is(drop(-2.0, 2.0, Sided::Both).toi().expect("the other side"), 1, 4));
}

#[test]
fn a_sphere_reaches_a_plane_by_the_true_length_of_its_normal() {
    // 3x + 4y = 0, from height 25 (distance 5) with radius 2 at speed 6 along the normal: t = 1/2.
    let sphere = [3.0f32, 4.0, 0.0, 2.0];
    let sweep =
        |length| sweep_sphere_plane(sphere, [-3.6, -4.8, 0.0], [3.0, 4.0, 0.0, 0.0], STILL, Sided::Front, length);
    assert!(sweep(NormalLength::Stored).toi().expect("hits").within(0.5, 1e-7));
    // Treating the normal as if of unit length: from height 25 to 2 at 30 a step.
    assert!(sweep(NormalLength::AssumedOne).toi().expect("hits").within(23.0 / 30.0, 1e-7));
}

#[test]
fn a_moving_box_hits_what_it_presses_into_and_grazes_what_it_passes() {
    let moving = [[-4.0f32, 0.0, 0.0], [-1.0, 1.0, 1.0]];
    let shift = |dy: f32| [[moving[0][0], dy, 0.0], [moving[1][0], dy + 1.0, 1.0]];
    let sweep = |moving, delta| sweep_aabb_aabb(moving, delta, BOX);
    assert!(is(sweep(moving, [4.0, 0.0, 0.0]).toi().expect("one of four units"), 1, 4));
    assert!(matches!(sweep(moving, [1.0, 0.0, 0.0]), Sweep::Clear), "touching at 1");
    assert!(matches!(sweep(shift(3.0), [4.0, 0.0, 0.0]), Sweep::Graze(toi) if is(&toi, 1, 4)), "along the top");
    assert!(matches!(sweep(shift(3.1), [4.0, 0.0, 0.0]), Sweep::Clear));
    let resting = [[0.0f32, 3.0, 0.0], [1.0, 4.0, 1.0]];
    assert!(matches!(sweep(resting, [1.0, 0.0, 0.0]), Sweep::Clear), "sliding on it");
    assert!(matches!(sweep(resting, [0.0, 1.0, 0.0]), Sweep::Clear), "leaving it");
    assert!(is(sweep(resting, [1.0, -0.1, 0.0]).toi().expect("pressing"), 0, 1));
    assert!(matches!(sweep(BOX, [9.0, 9.0, 9.0]), Sweep::Overlap));
    // Past the corner edge of both, diagonally: they share one line at one time.
    assert!(matches!(sweep([[-2.0, 4.0, 0.0], [-1.0, 5.0, 1.0]], [4.0, -4.0, 0.0]), Sweep::Hit(_)));
    assert!(matches!(sweep([[-2.0, 3.0, 0.0], [-1.0, 4.0, 1.0]], [4.0, 4.0, 0.0]), Sweep::Clear));
    assert!(
        matches!(sweep([[-2.0, 2.0, 0.0], [-1.0, 4.0, 1.0]], [4.0, 4.0, 0.0]), Sweep::Graze(toi) if is(&toi, 1, 4))
    );
}

#[test]
fn a_brush_from_point_triples_has_rational_corners() {
    // The tetrahedron x, y, z >= 0, 2x + 3y + 5z <= 7, each face clockwise seen from outside.
    let brush = Polytope::from_point_triples(&[
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[2.0, 1.0, 0.0], [1.0, 0.0, 1.0], [-1.0, 3.0, 0.0]],
    ]);
    let brush = brush.expect("bounded");
    assert_eq!(brush.vertices().len(), 4);
    assert_eq!([0, 1, 2].map(|axis| brush.bounds(axis)[1].clone()), [quotient(7, 2), quotient(7, 3), quotient(7, 5)]);
    assert_eq!(brush.edge_directions().len(), 6);
}

#[test]
fn a_polytope_must_be_bounded_and_have_a_volume() {
    let upright = [[1.0, 0.0, 0.0, 2.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 3.0], [0.0, -1.0, 0.0, 0.0]];
    let with = |more: &[[f64; 4]]| Polytope::from_planes(&[upright.as_slice(), more].concat());
    assert!(with(&[]).is_none());
    assert!(with(&[[0.0, 0.0, 1.0, 5.0]]).is_none(), "open downwards");
    assert!(with(&[[0.0, 0.0, 1.0, 5.0], [0.0, 0.0, -1.0, -5.0]]).is_none(), "flat");
    assert!(with(&[[0.0, 0.0, 1.0, 5.0], [0.0, 0.0, -1.0, -6.0]]).is_none(), "empty");
    let solid = with(&[[0.0, 0.0, 1.0, 5.0], [0.0, 0.0, -1.0, 0.0], [1.0, 1.0, 1.0, 10.0]]).expect("2 × 3 × 5");
    assert_eq!((solid.vertices().len(), solid.edge_directions().len()), (8, 3), "one plane only touches a corner");
}

#[test]
fn the_gap_to_a_sloped_face_is_the_distance_along_its_normal() {
    // The wedge 3x + 4z <= 0 under a slope, far from its other faces.
    let planes = [
        [3.0, 0.0, 4.0, 0.0],
        [-1.0, 0.0, 0.0, 50.0],
        [0.0, 1.0, 0.0, 50.0],
        [0.0, -1.0, 0.0, 50.0],
        [0.0, 0.0, -1.0, 90.0],
    ];
    let slope = Polytope::from_planes(&planes).expect("bounded");
    // The lowest corner (1, 1, 2) is at height 11, for a normal of length 5.
    let above = gap_aabb_polytope([[1.0, 1.0, 2.0], [3.0, 4.0, 7.0]], &slope);
    assert_eq!(above.signed_square, quotient(121, 25));
    assert!((above.to_f64() - 2.2).abs() < 1e-15);
    let below = gap_aabb_polytope([[-2.0, 1.0, 1.0], [3.0, 4.0, 7.0]], &slope);
    assert_eq!(below.signed_square, quotient(-4, 25));
    assert!(below.is_penetrating() && !above.is_penetrating());
    // Falling straight down by 6 would cover 24; the height is 11.
    let fall = sweep_aabb_polytope([[1.0, 1.0, 2.0], [3.0, 4.0, 7.0]], [0.0, 0.0, -6.0], &slope);
    assert!(is(fall.toi().expect("onto the slope"), 11, 24));
}

#[test]
fn a_box_hits_a_polygon_with_face_edge_or_corner() {
    let triangle = Polytope::from_polygon(&[[0.0f32, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]]);
    let at = |x: f32, y: f32, z: f32| [[x, y, z], EDGES[1], EDGES[2], EDGES[3]];
    assert!(is(sweep_obb_polytope(at(1.0, 2.0, 5.5), [0.0, 0.0, -9.0], &triangle).toi().unwrap(), 1, 3));
    // Beyond the long side: the corner (x - 1, y - 1.5) has to satisfy x + y <= 9.
    assert!(sweep_obb_polytope(at(5.0, 6.4, 5.5), [0.0, 0.0, -9.0], &triangle).toi().is_some());
    assert!(matches!(sweep_obb_polytope(at(5.0, 6.5, 5.5), [0.0, 0.0, -9.0], &triangle), Sweep::Graze(_)));
    assert!(matches!(sweep_obb_polytope(at(5.0, 6.6, 5.5), [0.0, 0.0, -9.0], &triangle), Sweep::Clear));
    // Straddling the plane, from the side: the face x - 1 meets the corner (9, 0).
    assert!(is(sweep_obb_polytope(at(12.0, 0.0, 0.0), [-4.0, 0.0, 0.0], &triangle).toi().unwrap(), 1, 2));
    assert!(matches!(sweep_obb_polytope(at(1.0, 1.0, 0.0), [1.0, 0.0, 0.0], &triangle), Sweep::Overlap));
    // A point passes through as a path does.
    let point = [[1.0f32, 1.0, 2.0], STILL, STILL, STILL];
    assert!(is(sweep_obb_polytope(point, [0.0, 0.0, -3.0], &triangle).toi().unwrap(), 2, 3));
}

#[test]
fn slides_keep_what_the_planes_allow() {
    let wall = [1.0f32, 0.0, 0.0];
    let floor = [0.0f32, 1.0, 0.0];
    assert_eq!(slide([2.0f32, 3.0, 5.0], &[wall, floor]), Point::new([2, 3, 5]));
    assert_eq!(slide([-2.0f32, 3.0, 5.0], &[wall, floor]), Point::new([0, 3, 5]));
    assert_eq!(slide([-2.0f32, -3.0, 5.0], &[wall, floor]), Point::new([0, 0, 5]));
    assert_eq!(slide([-2.0f32, -3.0, -5.0], &[wall, floor, [0.0, 0.0, 1.0]]), Point::new([0, 0, 0]));
    // In an acute wedge the only way is along the crease, at full speed.
    assert_eq!(slide([-1.0f32, -1.0, 1.0], &[[0.0, 1.0, 0.0], [1.0, -0.8, 0.0]]), Point::new([0, 0, 1]));
    // Three planes whose creases still leave one way out.
    let normals = [[1.0f32, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
    assert_eq!(slide([0.0f32, 2.0, -2.0], &normals), Point::new([0, 2, 0]));
}

#[test]
fn only_the_projection_has_no_residuals() {
    let normals = [[1.0f32, 0.0, 0.0], [0.0, 2.0, 0.0]];
    let of = |answer: [f32; 3]| slide_residuals([-2.0f32, -3.0, 5.0], &normals, answer);
    assert_eq!(of([0.0, 0.0, 5.0]), SlideResiduals { infeasible: 0.0, not_polar: 0.0, not_complementary: 0.0 });
    assert!(of([0.0, 0.0, 5.000_000_5]).are_within(1e-6, 6.0) && !of([0.0, 0.0, 5.1]).are_within(1e-6, 6.0));
    assert_eq!(of([0.0, -1.0, 5.0]).infeasible, 1.0);
    assert_eq!(of([0.0, 0.0, 4.0]).not_polar, 1.0);
    assert!(!of([0.0, 0.0, 0.0]).are_within(1e-6, 6.0));
}

/// A solid of 356 sides that touch a ball, no four of which meet in a point: Euler's formula tells the number of its
/// corners and edges. It takes a second, not an hour.
#[test]
fn a_solid_of_hundreds_of_sides_has_as_many_corners_as_euler_says() {
    const SIDES: usize = 356;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let plane = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / SIDES as f64;
        let (around, turn) = ((1.0 - z * z).sqrt(), golden * i as f64);
        let normal = [around * turn.cos(), around * turn.sin(), z].map(|x| (1000.0 * x).round());
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        [normal[0] as f32, normal[1] as f32, normal[2] as f32, (64.0 * length).round() as f32]
    };
    let planes: Vec<[f32; 4]> = (0..SIDES).map(plane).collect();
    let solid = Polytope::from_planes(&planes).expect("a bounded solid");
    assert_eq!((solid.vertices().len(), solid.edge_directions().len()), (2 * SIDES - 4, 3 * SIDES - 6));
    // A column of as many sides, whose planes meet by the million along parallel lines.
    let side = |i: usize| {
        let turn = std::f64::consts::TAU * i as f64 / (SIDES - 2) as f64;
        [(1e4 * turn.cos()).round() as f32, (1e4 * turn.sin()).round() as f32, 0.0, 1e6]
    };
    let ends = [[0.0, 0.0, 1.0, 9.0], [0.0, 0.0, -1.0, 9.0]];
    let column: Vec<[f32; 4]> = (0..SIDES - 2).map(side).chain(ends).collect();
    let column = Polytope::from_planes(&column).expect("a bounded solid");
    assert_eq!(column.vertices().len(), 2 * (SIDES - 2));
}
