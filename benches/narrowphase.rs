//! One pair of shapes at a time, without a tree.
//!
//! Small rotated boxes near the origin, and a shape of each other kind in place of each; paths are aimed near them, so
//! that some of them hit. Consecutive cases differ, as in a game, so branches cannot be learnt.

use criterion::{Criterion, criterion_group, criterion_main};
use cullide_bvh::narrowphase::{
    Aabb, BoxSweep, Brush, Camera, Capsule, Cast, Convex, ConvexCore, Cylinder, Frustum, Hull, Obb, Patch, Plane, Ray,
    Segment, Sides, Solid, Sphere, SphereSweep, Triangle, glam::Vec3,
};
use cullide_scenes::{Rng, SEED};
use scene::{each, plane, sweeps};

/// The number of pairs that take turns.
const PAIRS: usize = 1024;

/// Paths are aimed at up to this many half sizes from the middle.
const SPREAD: f32 = 2.0;

/// Shapes by kind; shapes with the same index are in the same place.
struct Shapes {
    obbs: Vec<Obb>,
    aabbs: Vec<Aabb>,
    spheres: Vec<Sphere>,
    brushes: Vec<Brush>,
    patches: Vec<Patch>,
    planes: Vec<Plane>,
    segments: Vec<Segment>,
    frusta: Vec<Frustum>,
    /// Boxes that overlap those with the same index, or nearly.
    others: Vec<Obb>,
    /// Boxes that move along the segments.
    bodies: Vec<BoxSweep>,
    /// Boxes that move against planes.
    falls: Vec<BoxSweep>,
}

impl Shapes {
    fn new() -> Self {
        let raw = sweeps(PAIRS);
        let obbs: Vec<Obb> = raw
            .iter()
            .map(|s| Obb::from_half_edges(s.obb[0].into(), [1, 2, 3].map(|i| s.obb[i].into())).expect("a box"))
            .collect();
        let mut rng = Rng::with_seed(SEED);
        let mut vector = |reach: f32| Vec3::from([(); 3].map(|()| reach * (2.0 * rng.f32() - 1.0)));
        let (mut segments, mut frusta, mut others, mut bodies) = (vec![], vec![], vec![], vec![]);
        for (obb, next) in obbs.iter().zip(obbs.iter().cycle().skip(1)) {
            let (start, aim) = (vector(15.0), obb.center() + vector(SPREAD) * obb.half_extents());
            segments.push(Segment::new(start, 1.5 * (aim - start)).expect("a segment"));
            frusta.push(Frustum::from_camera(&camera(start, aim - start)).expect("a view"));
            let at = |place| Obb::from_half_edges(place, next.half_edges()).expect("a box");
            others.push(at(aim));
            bodies.push(BoxSweep::new(at(start), 1.5 * (aim - start)).expect("a motion"));
        }
        Self {
            aabbs: obbs
                .iter()
                .map(|o| Aabb::from_center_half_extents(o.center(), o.half_extents()).expect("a box"))
                .collect(),
            spheres: obbs.iter().map(|o| Sphere::new(o.center(), o.half_extents().x).expect("a ball")).collect(),
            brushes: obbs.iter().map(|o| Brush::try_from(o).expect("a solid")).collect(),
            patches: obbs
                .iter()
                .map(|o| Patch::new(&[0, 1, 3, 2].map(|corner| o.corners()[corner])).expect("a polygon"))
                .collect(),
            planes: raw.iter().map(|s| plane(s.plane)).collect(),
            falls: obbs.iter().zip(&raw).map(|(o, s)| BoxSweep::new(*o, s.delta.into()).expect("a motion")).collect(),
            segments,
            frusta,
            others,
            bodies,
            obbs,
        }
    }
}

/// Times `query/aimed/size/variant`, with `a` and `b` in pairs.
fn time<A, B, R>(c: &mut Criterion, query: &str, variant: &str, (a, b): (&[A], &[B]), ask: impl Fn(&A, &B) -> R) {
    let pairs: Vec<(&A, &B)> = a.iter().zip(b).collect();
    each(c, format!("{query}/aimed/{PAIRS}"), variant, &pairs, |(a, b)| ask(a, b));
}

fn paths(c: &mut Criterion) {
    let shapes = Shapes::new();
    let rays: Vec<Ray> = shapes.segments.iter().map(|s| Ray::new(s.start(), s.delta()).expect("a ray")).collect();
    fn cast<S: Cast>(c: &mut Criterion, variant: &str, rays: &[Ray], segments: &[Segment], shapes: &[S]) {
        time(c, "ray-cast", variant, (rays, shapes), |ray, shape| ray.cast(shape, f32::INFINITY));
        time(c, "ray-hits", variant, (rays, shapes), |ray, shape| ray.hits(shape, f32::INFINITY));
        time(c, "segment-cast", variant, (segments, shapes), |segment, shape| segment.cast(shape));
        time(c, "segment-hits", variant, (segments, shapes), |segment, shape| segment.hits(shape));
    }
    cast(c, "plane", &rays, &shapes.segments, &shapes.planes);
    cast(c, "aabb", &rays, &shapes.segments, &shapes.aabbs);
    cast(c, "obb", &rays, &shapes.segments, &shapes.obbs);
    cast(c, "sphere", &rays, &shapes.segments, &shapes.spheres);
    cast(c, "brush", &rays, &shapes.segments, &shapes.brushes);
    cast(c, "patch", &rays, &shapes.segments, &shapes.patches);
}

fn sides(c: &mut Criterion) {
    let s = Shapes::new();
    time(c, "side", "point", (&s.planes, &s.obbs), |plane, obb| plane.side_of_point(obb.center()));
    time(c, "side", "aabb", (&s.planes, &s.aabbs), Plane::side_of_aabb);
    time(c, "side", "obb", (&s.planes, &s.obbs), Plane::side_of_obb);
    time(c, "side", "sphere", (&s.planes, &s.spheres), Plane::side_of_sphere);
    time(c, "side", "brush", (&s.planes, &s.brushes), |plane, brush| brush.side_of(plane));
    time(c, "side", "patch", (&s.planes, &s.patches), |plane, patch| patch.side_of(plane));
}

fn frusta(c: &mut Criterion) {
    let s = Shapes::new();
    time(c, "frustum-intersects", "aabb", (&s.frusta, &s.aabbs), Frustum::intersects_aabb);
    time(c, "frustum-intersects", "obb", (&s.frusta, &s.obbs), Frustum::intersects_obb);
    time(c, "frustum-intersects", "sphere", (&s.frusta, &s.spheres), Frustum::intersects_sphere);
    time(c, "frustum-containment", "aabb", (&s.frusta, &s.aabbs), Frustum::containment_of_aabb);
    time(c, "frustum-containment", "obb", (&s.frusta, &s.obbs), Frustum::containment_of_obb);
    time(c, "frustum-containment", "sphere", (&s.frusta, &s.spheres), Frustum::containment_of_sphere);
}

fn moves(c: &mut Criterion) {
    let s = Shapes::new();
    time(c, "sweep-box", "plane", (&s.falls, &s.planes), |fall, plane| fall.against_plane(plane, Sides::Front));
    time(c, "touch-box", "plane", (&s.falls, &s.planes), |fall, plane| fall.touch_plane(plane, Sides::Front));
    time(c, "sweep-box", "aabb", (&s.bodies, &s.aabbs), |sweep, shape| sweep.against(shape));
    time(c, "sweep-box", "obb", (&s.bodies, &s.obbs), |sweep, shape| sweep.against(shape));
    time(c, "sweep-box", "sphere", (&s.bodies, &s.spheres), |sweep, shape| sweep.against(shape));
    time(c, "sweep-box", "brush", (&s.bodies, &s.brushes), |sweep, shape| sweep.against(shape));
    time(c, "sweep-box", "patch", (&s.bodies, &s.patches), |sweep, shape| sweep.against(shape));
    let ball = |(ball, fall): (&Sphere, &BoxSweep)| SphereSweep::new(*ball, fall.motion()).expect("a motion");
    let balls: Vec<SphereSweep> = s.spheres.iter().zip(&s.falls).map(ball).collect();
    time(c, "sweep-sphere", "plane", (&balls, &s.planes), |ball, plane| ball.against_plane(plane, Sides::Front));
}

fn overlaps(c: &mut Criterion) {
    let s = Shapes::new();
    time(c, "overlap-obb", "aabb", (&s.aabbs, &s.others), Aabb::overlaps_obb);
    time(c, "overlap-obb", "obb", (&s.obbs, &s.others), Obb::overlaps);
    time(c, "overlap-obb", "sphere", (&s.spheres, &s.others), Sphere::overlaps_obb);
    time(c, "overlap-obb", "brush", (&s.brushes, &s.others), Brush::overlaps_obb);
    time(c, "overlap-obb", "patch", (&s.patches, &s.others), Patch::overlaps_obb);
    time(c, "gap-obb", "aabb", (&s.aabbs, &s.others), Aabb::gap);
    time(c, "gap-obb", "obb", (&s.obbs, &s.others), Obb::gap);
    time(c, "gap-obb", "sphere", (&s.spheres, &s.others), Sphere::gap);
    time(c, "gap-obb", "brush", (&s.brushes, &s.others), Brush::gap);
    time(c, "gap-obb", "patch", (&s.patches, &s.others), Patch::gap);
}

/// Times sweeps from where bodies start, distances there, and depths where they are aimed.
fn convexes(c: &mut Criterion) {
    fn pairs(
        c: &mut Criterion,
        variant: &str,
        mut a: impl FnMut(&Obb) -> ConvexCore,
        b: impl FnMut(&Obb) -> ConvexCore,
    ) {
        let s = Shapes::new();
        let targets: Vec<ConvexCore> = s.obbs.iter().map(b).collect();
        let movers: Vec<(ConvexCore, Vec3)> = s.bodies.iter().map(|body| (a(body.body()), body.motion())).collect();
        let others: Vec<ConvexCore> = s.others.iter().map(a).collect();
        let pairs = (&movers[..], &targets[..]);
        time(c, "convex-sweep", variant, pairs, |(core, motion), target| core.sweep(*motion, target, 1.0));
        time(c, "convex-distance", variant, pairs, |(core, _), target| core.distance(target));
        time(c, "convex-depth", variant, (&others, &targets), |core, target| core.depth(target, f64::INFINITY));
    }
    let mut rng = Rng::with_seed(SEED);
    let rock = [(); 16].map(|()| Vec3::from([(); 3].map(|()| 2.0 * rng.f32() - 1.0)));
    let hull = |obb: &Obb| {
        let [x, y, z] = obb.half_edges();
        let points = rock.map(|at| obb.center() + at.x * x + at.y * y + at.z * z);
        Convex::from(&Hull::new(&points).expect("a hull")).core()
    };
    let capsule = |obb: &Obb| {
        let capsule = Capsule::from_half_axis(obb.center(), obb.half_edges()[1], 0.5 * obb.half_extents().x);
        Convex::from(capsule.expect("a capsule")).core()
    };
    let triangle = |obb: &Obb| {
        let [a, b, c] = [0, 3, 5].map(|corner| obb.corners()[corner]);
        Convex::from(Triangle::new(a, b, c).expect("a triangle")).core()
    };
    let cylinder = |obb: &Obb| {
        let radii = [obb.half_extents().x; 2];
        Cylinder::from_half_axis(obb.center(), obb.half_edges()[1], radii).expect("a cylinder").core()
    };
    let cube = |obb: &Obb| Convex::from(*obb).core();
    pairs(c, "box-box", cube, cube);
    pairs(c, "hull-hull", hull, hull);
    pairs(c, "capsule-triangle", capsule, triangle);
    pairs(c, "cylinder-box", cylinder, cube);
}

fn builders(c: &mut Criterion) {
    let s = Shapes::new();
    let place = || format!("new/aimed/{PAIRS}");
    let cameras: Vec<Camera> = s.segments.iter().map(|s| camera(s.start(), s.delta())).collect();
    each(c, place(), "frustum", &cameras, Frustum::from_camera);
    each(c, place(), "brush", &s.obbs, |obb| Brush::try_from(obb));
    each(c, place(), "patch", &s.patches, |patch| Patch::new(patch.points()));
}

fn camera(position: Vec3, forward: Vec3) -> Camera {
    Camera { position, forward, far: 20.0, ..Camera::default() }
}

criterion_group! {
    name = benches;
    config = scene::criterion();
    targets = paths, sides, frusta, moves, overlaps, convexes, builders
}
criterion_main!(benches);
