//! Rays and segments against one shape each, compared with exact arithmetic on aimed cases.
//!
//! Whether they touch is exact for planes, boxes and spheres. For oriented boxes, brushes and patches it is decided in
//! `f64`: an answer may differ only if moving the shape by 1e-12 of the scale would change the exact one.

use cullide_narrowphase::{
    Cast, Obb, Plane, Ray, Segment, Sphere,
    glam::{DVec3, Vec3},
};
use cullide_oracle::{self as oracle, Exact, Parameter, Path, ulp};
use cullide_scenes::aimed::{self, Wrong, each_case};
use cullide_support::exact::{self, *};

/// A crossing as a ray or a segment reports it.
pub(crate) struct Touch {
    pub(crate) enter: f32,
    pub(crate) exit: f32,
    normal: Vec3,
    inside: bool,
}

/// One way of asking: a segment, or a ray with a maximum distance.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Query {
    Segment(Segment),
    Ray(Ray, f32),
}

impl Query {
    /// The segment of a case, and its ray: without end, and up to each of `ends`.
    pub(crate) fn all([start, delta]: [[f32; 3]; 2], ends: impl Fn(&Ray) -> Option<f32>) -> Option<Vec<Self>> {
        let (start, delta) = (Vec3::from(start), Vec3::from(delta));
        let mut queries = vec![Self::Segment(Segment::new(start, delta).ok()?)];
        if let Ok(ray) = Ray::new(start, delta) {
            queries.push(Self::Ray(ray, f32::INFINITY));
            // A maximum at the exact entry, rounded to either side of it, is the hardest to get right.
            if let Some(end) = ends(&ray).filter(|end| end.is_finite()) {
                let around = [end.next_down(), end, end.next_up()].into_iter().filter(|end| *end >= 0.0);
                queries.extend(around.map(|end| Self::Ray(ray, end)));
            }
        }
        Some(queries)
    }

    pub(crate) fn path(&self) -> Path {
        match self {
            Self::Segment(segment) => of_segment(segment),
            Self::Ray(ray, max) => Path::ray(ray.origin().to_array(), ray.direction().to_array(), *max),
        }
    }

    pub(crate) fn cast_path(&self) -> Option<cullide_narrowphase::Path> {
        match self {
            Self::Segment(segment) => Some(segment.path()),
            Self::Ray(ray, max) => ray.path(*max),
        }
    }

    pub(crate) fn start(&self) -> Vec3 {
        match self {
            Self::Segment(segment) => segment.start(),
            Self::Ray(ray, _) => ray.origin(),
        }
    }

    pub(crate) fn delta(&self) -> Vec3 {
        match self {
            Self::Segment(segment) => segment.delta(),
            Self::Ray(ray, _) => ray.direction(),
        }
    }

    fn max(&self) -> f32 {
        match self {
            Self::Segment(_) => 1.0,
            Self::Ray(_, max) => *max,
        }
    }

    pub(crate) fn cast(&self, shape: &impl Cast) -> Option<Touch> {
        match self {
            Self::Segment(segment) => segment.cast(shape).map(|hit| Touch {
                enter: hit.fraction,
                exit: hit.exit,
                normal: hit.normal,
                inside: hit.inside,
            }),
            Self::Ray(ray, max) => ray.cast(shape, *max).map(|hit| Touch {
                enter: hit.distance,
                exit: hit.exit,
                normal: hit.normal,
                inside: hit.inside,
            }),
        }
    }

    fn cast_front(&self, plane: &Plane) -> Option<Touch> {
        match self {
            Self::Segment(segment) => segment.cast_front(plane).map(|hit| Touch {
                enter: hit.fraction,
                exit: hit.exit,
                normal: hit.normal,
                inside: hit.inside,
            }),
            Self::Ray(ray, max) => ray.cast_front(plane, *max).map(|hit| Touch {
                enter: hit.distance,
                exit: hit.exit,
                normal: hit.normal,
                inside: hit.inside,
            }),
        }
    }

    pub(crate) fn hits(&self, shape: &impl Cast) -> bool {
        match self {
            Self::Segment(segment) => segment.hits(shape),
            Self::Ray(ray, max) => ray.hits(shape, *max),
        }
    }
}

/// Whether a reported parameter is within half an ulp and `error` of the exact one, which counts as the path's end if
/// it is beyond. A value too large for `f32` is reported as infinite.
fn is_near(got: f32, exact: &Parameter, max: f32, error: f64) -> bool {
    if max.is_finite() && exact.cmp_exact(&Exact::new(max)).is_ge() {
        return f64::from(max) - f64::from(got) <= error && got <= max;
    }
    if got == f32::INFINITY {
        return exact.cmp_exact(&Exact::new(f32::MAX)).is_ge();
    }
    exact.within(got.into(), 0.500_001 * ulp(got) + error)
}

/// Checks everything except the hit itself; `errors` are those of the entry and the exit before rounding to `f32`.
pub(crate) fn check_touch(query: &Query, touch: &Touch, exact: &oracle::Crossing, errors: [f64; 2], wrong: &mut Wrong) {
    let (max, delta) = (query.max(), query.delta());
    wrong.unless_equal("inside", touch.inside, exact.inside);
    let enter_is_right =
        if exact.inside { touch.enter == 0.0 } else { is_near(touch.enter, &exact.enter, max, errors[0]) };
    wrong.unless(enter_is_right, || format!("enter {:e}, exactly {:e}", touch.enter, exact.enter.to_f64()));
    let exit_is_right = match &exact.exit {
        Some(exit) => is_near(touch.exit, exit, max, errors[1]),
        None => touch.exit == max,
    };
    let exit = exact.exit.as_ref().map_or(f64::INFINITY, Parameter::to_f64);
    wrong.unless(exit_is_right, || format!("exit {:e}, exactly {exit:e}", touch.exit));
    wrong.unless(touch.enter <= touch.exit && touch.exit <= max, || format!("{:e} to {:e}", touch.enter, touch.exit));
    if delta == Vec3::ZERO {
        wrong.unless_equal("normal of a point", touch.normal, Vec3::ZERO);
    } else {
        wrong.unless(is_unit(touch.normal), || format!("normal {}", touch.normal));
        let along = dot(touch.normal, delta);
        // The normal at a tangent is perpendicular to it, up to the rounding of the normal.
        let slack = f64::from(f32::EPSILON) * magnitude(touch.normal, delta) + 8.0 * ROUNDING * wide(delta).length();
        wrong.unless(along <= slack, || format!("normal {} along {delta}", touch.normal));
    }
}

#[test]
fn a_plane_is_met_from_both_sides_and_from_its_front_exactly_when_it_should() {
    let (mut met, mut asked) = (0, 0);
    each_case(CASES, 0.85, aimed::path_plane, |&(path, plane), wrong| {
        let plane = exact::plane(plane)?;
        let stored = of_plane(&plane);
        let end = |ray: &Ray| {
            let endless = Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
            Some(oracle::path_plane(&endless, stored).hit?.to_f64() as f32)
        };
        for query in Query::all(path, end)? {
            let exact = oracle::path_plane(&query.path(), stored);
            let touch = query.cast(&plane);
            wrong.unless_equal("hit", touch.is_some(), exact.hit.is_some());
            wrong.unless_equal("boolean", query.hits(&plane), exact.hit.is_some());
            asked += 1;
            if let (Some(touch), Some(hit)) = (&touch, &exact.hit) {
                met += 1;
                let along = exact.slope.is_eq() && exact.start.is_eq();
                let crossing = oracle::Crossing {
                    enter: Parameter::Quotient(hit.clone()),
                    exit: (!along).then(|| Parameter::Quotient(hit.clone())),
                    inside: exact.start.is_eq(),
                };
                check_touch(&query, touch, &crossing, [plane_error(&query, &plane, hit.to_f64()); 2], wrong);
                if !touch.inside {
                    let side = if exact.start.is_gt() { 1.0 } else { -1.0 };
                    let turned = touch.normal.distance(side * plane.normal());
                    wrong.unless(turned <= f32::EPSILON, || format!("normal {} of {plane:?}", touch.normal));
                }
            }
            let front = oracle::path_plane_front(&query.path(), stored);
            let touch = query.cast_front(&plane);
            wrong.unless_equal("front hit", touch.is_some(), front.is_some());
            if let (Some(touch), Some(front)) = (touch, front) {
                let error = plane_error(&query, &plane, front.to_f64());
                let near = is_near(touch.enter, &Parameter::Quotient(front), query.max(), error);
                wrong.unless(near, || format!("front distance {:e}", touch.enter));
            }
        }
        Some(())
    });
    assert!(met > asked / 5 && met < asked * 4 / 5, "{met} of {asked}");
}

/// The height of the start is a sum of four exact products, the slope a sum of three: `s / m`, each with the rounding
/// error of its sum. This is the bound `4 u M / |n · D|`, plus the error of the slope.
fn plane_error(query: &Query, plane: &Plane, t: f64) -> f64 {
    let (start, delta, normal) = (query.start(), query.delta(), plane.normal());
    let slope = dot(normal, delta).abs();
    if slope == 0.0 {
        return 0.0;
    }
    let height = magnitude(normal, start) + f64::from(plane.d().abs());
    4.0 * ROUNDING * (height + t * magnitude(normal, delta)) / slope
}

#[test]
fn a_box_is_crossed_exactly_when_it_should_be() {
    let (mut met, mut asked) = (0, 0);
    each_case(CASES, 0.9, aimed::path_aabb, |&(path, aabb), wrong| {
        let aabb = exact::aabb(aabb)?;
        let stored = of_aabb(&aabb);
        let end = |ray: &Ray| {
            let endless = Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
            Some(oracle::path_aabb(&endless, stored)?.enter.to_f64() as f32)
        };
        for query in Query::all(path, end)? {
            let exact = oracle::path_aabb(&query.path(), stored);
            let touch = query.cast(&aabb);
            wrong.unless_equal("hit", touch.is_some(), exact.is_some());
            wrong.unless_equal("boolean", query.hits(&aabb), exact.is_some());
            asked += 1;
            if let (Some(touch), Some(exact)) = (touch, exact) {
                met += 1;
                // A difference and a quotient of exact numbers: two roundings, for which half an ulp of `f32` leaves
                // room.
                let errors = [touch.enter, touch.exit].map(|t| 2.0 * ROUNDING * f64::from(t.min(f32::MAX)));
                check_touch(&query, &touch, &exact, errors, wrong);
                let axial = touch.normal.abs().to_array().iter().filter(|&&x| x == 1.0).count() == 1;
                wrong.unless(touch.inside || axial, || format!("normal {}", touch.normal));
            }
        }
        Some(())
    });
    assert!(met > asked / 5 && met < asked * 4 / 5, "{met} of {asked}");
}

#[test]
fn a_sphere_is_crossed_exactly_when_it_should_be() {
    let (mut met, mut asked) = (0, 0);
    each_case(CASES, 0.9, aimed::path_sphere, |&(path, sphere), wrong| {
        let sphere = exact::sphere(sphere)?;
        let stored = of_sphere(&sphere);
        let end = |ray: &Ray| {
            let endless = Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
            Some(oracle::path_sphere(&endless, stored)?.enter.to_f64() as f32)
        };
        for query in Query::all(path, end)? {
            let exact = oracle::path_sphere(&query.path(), stored);
            let touch = query.cast(&sphere);
            wrong.unless_equal("hit", touch.is_some(), exact.is_some());
            wrong.unless_equal("boolean", query.hits(&sphere), exact.is_some());
            asked += 1;
            if let (Some(touch), Some(exact)) = (touch, exact) {
                met += 1;
                check_touch(&query, &touch, &exact, [sphere_error(&query, &sphere); 2], wrong);
                if !touch.inside && sphere.radius() > 0.0 {
                    let turned = touch.normal.as_dvec3().dot(outward(&query, &sphere, exact.enter.to_f64()));
                    let far = wide(query.start() - sphere.center()).length() / f64::from(sphere.radius());
                    // The component of a rotated normal along the right one is shorter by half the square of the angle.
                    let noise = 4.0 * (sphere_error(&query, &sphere) * wide(query.delta()).length())
                        / f64::from(sphere.radius());
                    let least = 1.0 - 1e-6 - noise - 1e-15 * far;
                    wrong.unless(turned >= least, || format!("normal {} is off by 1 - {turned}", touch.normal));
                }
            }
        }
        Some(())
    });
    assert!(met > asked / 5 && met < asked * 4 / 5, "{met} of {asked}");
}

/// The point at `t` relative to the centre, in radii.
fn outward(query: &Query, sphere: &Sphere, t: f64) -> DVec3 {
    (wide(query.start()) - wide(sphere.center()) + wide(query.delta()) * t) / f64::from(sphere.radius())
}

/// With a discriminant that errs by `a δ`, where `δ` is some roundings of `f² + r²`, the roots of `a t² − 2 b t + c`
/// move by `√(δ / a)` if they coincide, and by `δ / √(a · left)` if half the chord, `√(left / a)`, is long.
fn sphere_error(query: &Query, sphere: &Sphere) -> f64 {
    let (offset, delta) = (wide(query.start()) - wide(sphere.center()), wide(query.delta()));
    let (a, radius) = (delta.length_squared(), f64::from(sphere.radius()));
    let scale = offset.length_squared() + radius * radius;
    let error = 64.0 * ROUNDING * scale;
    let left = radius * radius - offset.cross(delta).length_squared() / a;
    if a == 0.0 {
        0.0
    } else if left > error {
        error / (a * left).sqrt() + 8.0 * ROUNDING * (scale / a).sqrt()
    } else {
        2.0 * (error / a).sqrt()
    }
}

#[test]
fn an_oriented_box_is_crossed_exactly_when_it_should_be() {
    let (mut met, mut asked) = (0, 0);
    each_case(CASES, 0.9, aimed::path_obb, |&(path, obb), wrong| {
        let obb = exact::obb(obb)?;
        let stored = of_obb(&obb);
        let end = |ray: &Ray| {
            let endless = Path::ray(ray.origin().to_array(), ray.direction().to_array(), f32::INFINITY);
            Some(oracle::path_obb(&endless, stored)?.enter.to_f64() as f32)
        };
        for query in Query::all(path, end)? {
            let exact = oracle::path_obb(&query.path(), stored);
            let touch = query.cast(&obb);
            wrong.unless_equal("boolean", query.hits(&obb), touch.is_some());
            asked += 1;
            met += usize::from(touch.is_some());
            wrong.unless_equal("hit", touch.is_some(), exact.is_some());
            if let (Some(touch), Some(exact)) = (touch, exact) {
                wrong.unless_equal("inside", touch.inside, exact.inside);
                if is_solid(&obb) {
                    let errors = [touch.enter, touch.exit].map(|t| obb_error(&query, &obb, t));
                    check_touch(&query, &touch, &exact, errors, wrong);
                }
            }
        }
        Some(())
    });
    assert!(met > asked / 5 && met < asked * 4 / 5, "{met} of {asked}");
}

/// A time is the quotient of a position and an approach along a unit axis, each with its rounding. If several faces are
/// hit at about the same time any of them may count, so the bound is that of the slowest approach.
fn obb_error(query: &Query, obb: &Obb, t: f32) -> f64 {
    let edges = obb.half_edges().map(wide);
    let from_center = wide(query.start()) - wide(obb.center());
    let (size, delta) = (edges.iter().fold(from_center.length(), |sum, edge| sum + edge.length()), wide(query.delta()));
    let axes = (0..3).map(|i| edges[i].cross(edges[(i + 1) % 3]).normalize_or_zero());
    // An approach without a single certain digit gives no bound, unless it is zero because all its terms are.
    let approach = |axis: DVec3| {
        let size = axis.abs().dot(delta.abs());
        (size > 0.0).then(|| (axis.dot(delta).abs() - 16.0 * ROUNDING * size).max(f64::MIN_POSITIVE))
    };
    let slowest = axes.filter_map(approach).fold(f64::INFINITY, f64::min);
    (64.0 * ROUNDING * (size + f64::from(t.min(f32::MAX)) * delta.length()) / slowest).min(f64::MAX)
}

/// Whether a box's volume is at least a thousandth of what its edges would span at right angles.
fn is_solid(obb: &Obb) -> bool {
    let [a, b, c] = obb.half_edges().map(wide);
    a.dot(b.cross(c)).abs() > 1e-3 * a.length() * b.length() * c.length()
}
