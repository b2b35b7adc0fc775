//! Which face, edge or vertex a path touches first, compared with its first point in exact integers.

use cullide_narrowphase::{
    Aabb, Brush, Capsule, Cast, Feature, HitFeature, Hull, Obb, Patch, Plane, Ray, Segment, Sphere, Triangle,
    glam::{Quat, Vec3},
};
use cullide_scenes::{Rng, SEED};

type Point = [i128; 3];

/// A convex solid or polygon in integers: all points behind the faces.
struct Body {
    vertices: Vec<Point>,
    edges: Vec<[usize; 2]>,
    /// The vertices of each face.
    faces: Vec<Vec<usize>>,
    /// Outward normals, with a point of each face.
    bounds: Vec<(Point, Point)>,
}

/// The first point of a path in a body: a numerator over a positive denominator.
struct First {
    at: Point,
    unit: i128,
}

fn whole(v: Vec3) -> Point {
    v.to_array().map(|x| {
        assert_eq!(x.fract(), 0.0);
        x as i128
    })
}

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: Point, b: Point) -> i128 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn common_divisor(a: i128, b: i128) -> i128 {
    if a == 0 { b } else { common_divisor(b % a, a) }
}

fn cross(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

impl Body {
    /// A solid with these vertices and faces; its edges are where two faces share two vertices.
    fn solid(vertices: Vec<Point>, faces: Vec<Vec<usize>>) -> Self {
        let mut edges = vec![];
        for (i, face) in faces.iter().enumerate() {
            for other in &faces[..i] {
                let shared: Vec<usize> = face.iter().copied().filter(|vertex| other.contains(vertex)).collect();
                edges.extend(<[usize; 2]>::try_from(shared));
            }
        }
        let outward = |face: &Vec<usize>| {
            let [a, b, c] = [0, 1, 2].map(|i| vertices[face[i]]);
            let normal = cross(minus(b, a), minus(c, a));
            let is_inward = vertices.iter().any(|&vertex| dot(normal, minus(vertex, a)) > 0);
            (if is_inward { normal.map(|x| -x) } else { normal }, a)
        };
        let bounds = faces.iter().map(outward).collect();
        Self { vertices, edges, faces, bounds }
    }

    /// A flat convex polygon.
    fn polygon(vertices: Vec<Point>) -> Self {
        let count = vertices.len();
        let edges: Vec<[usize; 2]> = (0..count).map(|i| [i, (i + 1) % count]).collect();
        let normal = (2..count).map(|i| cross(minus(vertices[1], vertices[0]), minus(vertices[i], vertices[0])));
        let normal = normal.into_iter().find(|normal| *normal != [0; 3]).unwrap();
        let side = |edge: &[usize; 2]| {
            let [from, to] = edge.map(|i| vertices[i]);
            (cross(minus(to, from), normal), from)
        };
        let mut bounds: Vec<(Point, Point)> = edges.iter().map(side).collect();
        bounds.extend([(normal, vertices[0]), (normal.map(|x| -x), vertices[0])]);
        Self { faces: vec![(0..count).collect()], edges, vertices, bounds }
    }

    fn first(&self, start: Point, delta: Point) -> Option<First> {
        let mut enter = (0, 1);
        for &(normal, point) in &self.bounds {
            let (height, rise) = (dot(normal, minus(start, point)), dot(normal, delta));
            if height > 0 && rise >= 0 {
                return None;
            }
            if height > 0 && height * enter.1 > enter.0 * -rise {
                enter = (height, -rise);
            }
        }
        let divisor = common_divisor(enter.0, enter.1);
        let (time, unit) = (enter.0 / divisor, enter.1 / divisor);
        let at = [0, 1, 2].map(|i| start[i] * unit + delta[i] * time);
        let is_before = |&(normal, point): &(Point, Point)| dot(normal, at) > dot(normal, point) * unit;
        (time <= unit && !self.bounds.iter().any(is_before)).then_some(First { at, unit })
    }

    /// The positions of the vertices of the smallest feature that contains a point of the body; none in the interior.
    fn feature(&self, first: &First) -> Vec<Point> {
        let scaled = |vertex: usize| self.vertices[vertex].map(|x| x * first.unit);
        if let Some(vertex) = (0..self.vertices.len()).find(|&vertex| scaled(vertex) == first.at) {
            return vec![self.vertices[vertex]];
        }
        let is_on_edge = |&&[a, b]: &&[usize; 2]| {
            let (way, edge) = (minus(first.at, scaled(a)), minus(self.vertices[b], self.vertices[a]));
            let along = dot(way, edge);
            cross(way, edge) == [0; 3] && along > 0 && along < dot(edge, edge) * first.unit
        };
        let is_on_face = |face: &&Vec<usize>| {
            let [a, b, c] = [0, 1, 2].map(|i| self.vertices[face[i]]);
            dot(cross(minus(b, a), minus(c, a)), minus(first.at, scaled(face[0]))) == 0
        };
        let edge = self.edges.iter().find(is_on_edge).map(|edge| edge.to_vec());
        let found = edge.or_else(|| self.faces.iter().find(is_on_face).cloned());
        sorted(found.into_iter().flatten().map(|vertex| self.vertices[vertex]).collect())
    }

    /// The library's answer in the same form: the positions of the feature's vertices.
    fn positions(&self, feature: HitFeature) -> Vec<Point> {
        let numbers = match feature {
            HitFeature::Vertex(vertex) => vec![vertex],
            HitFeature::Edge(ends) => {
                assert!(ends[0] < ends[1]);
                ends.to_vec()
            }
            HitFeature::Face(face) => self.faces[face].clone(),
        };
        sorted(numbers.into_iter().map(|vertex| self.vertices[vertex]).collect())
    }
}

fn sorted(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_unstable();
    points.dedup();
    points
}

/// Segments aimed at vertices, edges and faces, and past them, from all directions.
fn aimed(rng: &mut Rng, body: &Body, size: i32) -> Segment {
    let mut any = |size: i32| Vec3::from([(); 3].map(|()| rng.i32(-size..=size) as f32));
    let (mut way, apart) = (any(size), any(size));
    let mut pick = || {
        let [x, y, z] = body.vertices[rng.usize(..body.vertices.len())];
        Vec3::new(x as f32, y as f32, z as f32)
    };
    let (a, b, c) = (pick(), pick(), pick());
    let through = match rng.u8(0..5) {
        0 => a,
        1 | 2 => 0.5 * (a + b),
        3 => 0.25 * (a + b) + 0.5 * c,
        _ => apart,
    };
    match rng.u8(0..6) {
        0 => way = b - a,
        1 => way = (b - a) + (c - a),
        2 => way *= [Vec3::X, Vec3::Y, Vec3::ZERO][rng.usize(..3)],
        _ => {}
    }
    let start = (through - way * f32::from(rng.u8(0..3))).round();
    let delta = if rng.bool() { (through - start) * f32::from(rng.u8(0..4)) } else { way * f32::from(rng.u8(0..5)) };
    Segment::new(start, delta.round()).unwrap()
}

/// Compares the features of aimed segments, and counts vertices, edges, faces and starts in the interior.
fn compare(rng: &mut Rng, shape: &impl Cast, body: &Body, size: i32, counts: &mut [usize; 4]) {
    for _ in 0..40 {
        let segment = aimed(rng, body, size);
        let expected = body.first(whole(segment.start()), whole(segment.delta())).map(|first| body.feature(&first));
        let found = segment.entry_feature(shape);
        assert_eq!(segment.hits(shape), expected.is_some(), "{segment:?} {:?}", body.vertices);
        let positions = found.map_or(vec![], |feature| body.positions(feature));
        assert_eq!(positions, expected.clone().unwrap_or_default(), "{segment:?} {found:?} {:?}", body.vertices);
        if expected.is_some() {
            counts[found.map_or(3, |feature| feature.kind() as usize)] += 1;
        }
    }
}

fn point(rng: &mut Rng, size: i32) -> Vec3 {
    // Multiples of four, so that aims at edges and faces are integers.
    Vec3::from([(); 3].map(|()| 4.0 * rng.i32(-size..=size) as f32))
}

const SIZES: [i32; 4] = [2, 4, 50, 3000];

/// The corners of a box and the vertices of its faces: those on each end of each edge direction, the upper end first.
fn body_of_box(corners: [Vec3; 8]) -> Body {
    let face = |number: usize| {
        let is_of = |corner: &usize| (corner >> (number / 2) & 1 == 1) == number.is_multiple_of(2);
        (0..8).filter(is_of).collect()
    };
    Body::solid(corners.map(whole).to_vec(), (0..6).map(face).collect())
}

#[test]
fn triangles() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 4]);
    for case in 0..6000 {
        let size = SIZES[case % 4];
        let points = [(); 3].map(|()| point(&mut rng, size));
        let Ok(triangle) = Triangle::new(points[0], points[1], points[2]) else { continue };
        let body = Body::polygon(points.map(whole).to_vec());
        compare(&mut rng, &triangle, &body, 4 * size, &mut counts);
    }
    assert!(counts[..3].iter().all(|&count| count > 5000) && counts[3] == 0, "{counts:?}");
}

#[test]
fn patches() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 4]);
    for case in 0..4000 {
        let size = SIZES[case % 3];
        let [a, u, v] = [(); 3].map(|()| point(&mut rng, size));
        // A trapezium, or one with a further corner that is collinear with its neighbours.
        let mut points = vec![a, a + u * 2.0, a + u * 2.0 + v, a + v];
        if case % 2 == 0 {
            points.push(a + v * 0.5);
        }
        let Ok(patch) = Patch::new(&points) else { continue };
        let body = Body::polygon(points.into_iter().map(whole).collect());
        compare(&mut rng, &patch, &body, 4 * size, &mut counts);
    }
    assert!(counts[..3].iter().all(|&count| count > 5000) && counts[3] == 0, "{counts:?}");
}

#[test]
fn boxes() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 4]);
    for case in 0..3000 {
        let size = SIZES[case % 4];
        let (a, b) = (point(&mut rng, size), point(&mut rng, size));
        let aabb = Aabb::new(a.min(b), a.max(b)).unwrap();
        if (a.cmpeq(b)).any() {
            continue;
        }
        let body = body_of_box(Obb::from(&aabb).corners());
        compare(&mut rng, &aabb, &body, 4 * size, &mut counts);
        compare(&mut rng, &Brush::try_from(&aabb).unwrap(), &body_of_brush(&aabb), 4 * size, &mut counts);
    }
    assert!(counts.iter().all(|&count| count > 4000), "{counts:?}");
}

/// The same box, numbered as a brush.
fn body_of_brush(aabb: &Aabb) -> Body {
    let brush = Brush::try_from(aabb).unwrap();
    let vertices = brush.vertices().iter().map(|vertex| whole(vertex.as_vec3())).collect();
    Body::solid(vertices, brush.faces().map(|face| face.vertices.to_vec()).collect())
}

#[test]
fn turned_and_skewed_boxes() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 4]);
    for case in 0..1500 {
        let size = SIZES[case % 4];
        let center = point(&mut rng, size);
        let edges = [(); 3].map(|()| point(&mut rng, size));
        if dot(cross(whole(edges[0]), whole(edges[1])), whole(edges[2])) == 0 {
            continue;
        }
        let obb = Obb::from_half_edges(center, edges).unwrap();
        compare(&mut rng, &obb, &body_of_box(obb.corners()), 4 * size, &mut counts);
    }
    assert!(counts.iter().all(|&count| count > 1500), "{counts:?}");
}

#[test]
fn hulls() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 4]);
    for case in 0..600 {
        let size = SIZES[case % 4];
        let points: Vec<Vec3> = (0..12).map(|_| point(&mut rng, size)).collect();
        let Ok(hull) = Hull::new(&points) else { continue };
        let faces = hull.faces().map(|face| face.vertices.to_vec()).collect();
        let body = Body::solid(hull.vertices().map(whole).collect(), faces);
        compare(&mut rng, hull.solid(), &body, 4 * size, &mut counts);
    }
    assert!(counts.iter().all(|&count| count > 600), "{counts:?}");
}

/// A path through a known feature touches it first, since the shape is hit exactly there.
#[test]
fn flat_boxes_have_the_features_of_what_they_are() {
    let (mut rng, mut counts) = (Rng::with_seed(SEED), [0; 3]);
    for case in 0..4000 {
        let mut edges = [(); 3].map(|()| point(&mut rng, 3));
        let flat = case % 3;
        edges[flat] = Vec3::ZERO;
        if case % 2 == 0 {
            edges = [0, 1, 2].map(|i| edges[i].abs() * [Vec3::X, Vec3::Y, Vec3::Z][i]);
        }
        let spanned = edges[(flat + 1) % 3].cross(edges[(flat + 2) % 3]);
        let center = point(&mut rng, 3);
        let way = point(&mut rng, 2);
        // A path in the plane enters elsewhere.
        if spanned.dot(way) == 0.0 {
            continue;
        }
        let ends = [0, 1, 2].map(|i| if i == flat { 0.0 } else { f32::from(rng.i8(-2..=2)) * 0.5 });
        let through = (0..3).fold(center, |sum, i| sum + edges[i] * ends[i]);
        let segment = Segment::new(through - way, way * 2.0).unwrap();
        let obb = Obb::from_half_edges(center, edges).unwrap();
        let fixed: Vec<usize> = (0..3).filter(|&i| ends[i].abs() == 1.0).collect();
        let vertex = fixed.iter().filter(|&&i| ends[i] > 0.0).fold(0, |bits, i| bits | 1 << i);
        let feature = segment.entry_feature(&obb).unwrap();
        match fixed[..] {
            [] => assert!(feature == HitFeature::Face(2 * flat) || feature == HitFeature::Face(2 * flat + 1)),
            [i] => assert_eq!(feature, HitFeature::Edge([vertex, vertex | 1 << (3 - i - flat)]), "{obb:?} {segment:?}"),
            _ => assert_eq!(feature, HitFeature::Vertex(vertex), "{obb:?} {segment:?}"),
        }
        if case % 2 == 0 {
            assert_eq!(segment.entry_feature(&obb.aabb()), segment.entry_feature(&obb), "{obb:?} {segment:?}");
        }
        counts[fixed.len()] += 1;
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

#[test]
fn rods_and_points_are_edges_and_vertices() {
    let rod = |axis: usize, along: Vec3| {
        let mut edges = [Vec3::ZERO; 3];
        edges[axis] = along;
        Obb::from_half_edges(Vec3::ZERO, edges).unwrap()
    };
    for axis in 0..3 {
        let rod = rod(axis, Vec3::new(4.0, 8.0, -4.0));
        let at = |share: f32| Segment::new(Vec3::new(4.0, 8.0, -4.0) * share + Vec3::Z, Vec3::Z * -2.0).unwrap();
        assert_eq!(at(0.25).entry_feature(&rod), Some(HitFeature::Edge([0, 1 << axis])));
        assert_eq!(at(1.0).entry_feature(&rod), Some(HitFeature::Vertex(1 << axis)));
        assert_eq!(at(-1.0).entry_feature(&rod), Some(HitFeature::Vertex(0)));
    }
    let point = Aabb::new(Vec3::ONE, Vec3::ONE).unwrap();
    let ray = Ray::new(Vec3::new(1.0, 1.0, 9.0), Vec3::NEG_Z).unwrap();
    assert_eq!(ray.entry_feature(&point, 8.0), Some(HitFeature::Vertex(0)));
    assert_eq!(ray.entry_feature(&point, 7.0), None);
}

#[test]
fn what_is_round_has_no_features_and_a_plane_is_a_face() {
    let ray = Ray::new(Vec3::NEG_X * 9.0, Vec3::X).unwrap();
    assert_eq!(ray.entry_feature(&Sphere::new(Vec3::ZERO, 1.0).unwrap(), 99.0), None);
    assert_eq!(ray.entry_feature(&Capsule::new(Vec3::ZERO, Vec3::Y, 1.0).unwrap(), 99.0), None);
    let wall = ray.entry_feature(&Plane::new(Vec3::X, 0.0).unwrap(), 99.0);
    assert_eq!(wall.map(HitFeature::kind), Some(Feature::Face));
    assert_eq!(ray.entry_feature(&Plane::new(Vec3::X, 0.0).unwrap(), 8.0), None);
}

/// If the answer is found with rounded planes, it is a feature near the point.
#[test]
fn turned_brushes_and_patches_have_a_feature_wherever_they_are_hit() {
    let (mut rng, mut hits) = (Rng::with_seed(SEED), 0);
    for _ in 0..2000 {
        let mut any = || 2.0 * rng.f32() - 1.0;
        let turn = Quat::from_xyzw(any(), any(), any(), any());
        let obb = Obb::new(Vec3::new(any(), any(), any()), turn, Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let brush = Brush::try_from(&obb).unwrap();
        let corners = obb.corners();
        let aim = corners[rng.usize(..8)].lerp(corners[rng.usize(..8)], f32::from(rng.u8(0..3)) * 0.5);
        let from = point(&mut rng, 2) + Vec3::splat(10.0);
        let segment = Segment::new(from, (aim - from) * 2.0).unwrap();
        let Some(hit) = segment.cast(&brush) else { continue };
        let vertices = match segment.entry_feature(&brush).unwrap() {
            HitFeature::Vertex(vertex) => vec![vertex],
            HitFeature::Edge(ends) => {
                assert!(brush.edges().iter().any(|edge| ends == edge.vertices || [ends[1], ends[0]] == edge.vertices));
                ends.to_vec()
            }
            HitFeature::Face(face) => brush.faces().nth(face).unwrap().vertices.to_vec(),
        };
        let near = |axis: usize| {
            let along = |vertex: &usize| brush.vertices()[*vertex][axis];
            let least = vertices.iter().map(along).fold(f64::INFINITY, f64::min);
            let most = vertices.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            (least - 1e-5..=most + 1e-5).contains(&f64::from(hit.point[axis]))
        };
        assert!((0..3).all(near), "{segment:?} {obb:?}");
        hits += 1;
    }
    assert!(hits > 1000, "{hits}");
}
