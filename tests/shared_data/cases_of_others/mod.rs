//! The answers that other libraries' test suites agree on, for all operations that exist here.
//!
//! Sets are closed, and the entry is clamped to 0. The inputs are decimal: if they are not `f32`s, or a plane is not of
//! unit length, a boolean on the border of its answer is not compared.

mod case;

use case::*;
use cullide_narrowphase::{
    BoxSweep, Brush, Cast, Containment, Frustum, Obb, Plane, Ray, Segment, SegmentIntersection, Side, Solid, Sphere,
    Sweep,
    glam::{DVec3, Vec3},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// At least this many of the lines are compared.
const FLOOR: usize = 1020;

#[test]
#[ignore = "reads the shared data"]
fn every_case_of_others_for_an_operation_of_ours_has_the_same_answer() {
    let path = cullide_scenes::oracles_dir().join("cases.jsonl");
    let text = std::fs::read_to_string(path).expect("the shared cases");
    let (mut table, mut skipped, mut wrong) = (BTreeMap::<String, [usize; 3]>::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let mut case = Case::new(line);
        let outcome = compare(&mut case);
        let row = table.entry(case.op().to_owned()).or_default();
        row[0] += 1;
        let reason = match outcome {
            Err(skip) => Some(skip.to_string()),
            Ok(()) if case.compared == 0 => Some("on the border, which rounding its numbers to f32 may cross".into()),
            Ok(()) => None,
        };
        match reason {
            Some(reason) => skipped.push(format!("{} {}: {reason}", case.op(), case.line["id"])),
            None => row[1] += 1,
        }
        row[2] += case.on_border;
        if !case.wrong.is_empty() {
            wrong.push(format!("{} in {line}", case.wrong.join(", ")));
        }
    }
    println!("{:26} {:>5} {:>8} {:>9}", "operation", "lines", "compared", "on border");
    for (op, [lines, compared, on_border]) in &table {
        println!("{op:26} {lines:5} {compared:8} {on_border:9}");
    }
    println!("skipped lines:\n  {}", skipped.join("\n  "));
    let compared: usize = table.values().map(|row| row[1]).sum();
    println!("{compared} lines compared, {} skipped, {} wrong", skipped.len(), wrong.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= FLOOR, "only {compared} lines compared");
}

fn compare(case: &mut Case) -> Result<(), Skip> {
    let input = case.line["in"].clone();
    match case.op().to_owned().as_str() {
        "ray_plane" => ray_plane(case, &input["ray"], &plane(&input["plane"])?)?,
        "segment_plane" => {
            let (segment, plane) = (segment(&input["segment"])?, plane(&input["plane"])?);
            crossing(case, segment.cast(&plane), 1.0);
            side_of_start(case, &plane, segment.start());
        }
        "ray_aabb" => ray(case, &input["ray"], &aabb(&input["aabb"])?)?,
        "ray_sphere" => ray(case, &input["ray"], &sphere(&input["sphere"])?)?,
        "ray_obb" if !is_orthogonal(&input["obb"]["axes"]) => {
            return Err(Skip::Reason("skewed axes mean slabs across them there, edges along them here"));
        }
        "ray_obb" => ray(case, &input["ray"], &obb(&input["obb"])?)?,
        "segment_aabb" => crossing(case, segment(&input["segment"])?.cast(&aabb(&input["aabb"])?), 1.0),
        "segment_sphere" => crossing(case, segment(&input["segment"])?.cast(&sphere(&input["sphere"])?), 1.0),
        "segment_convex" => {
            let brush = Brush::from_planes(&planes(&input["planes_outward"])?)?;
            crossing(case, segment(&input["segment"])?.cast(&brush), 1.0);
        }
        "line_aabb" | "line_plane" => return Err(Skip::Reason("lines without ends are not offered")),
        "aabb_contains_point" => case.is("closed", aabb(&input["aabb"])?.contains_point(point(&input["point"]))),
        "aabb_contains_aabb" => case.is("hit", aabb(&input["outer"])?.contains(&aabb(&input["inner"])?)),
        "aabb_aabb" => case.is("closed", aabb(&input["a"])?.overlaps(&aabb(&input["b"])?)),
        "aabb_sphere" => case.is("hit", aabb(&input["aabb"])?.overlaps_sphere(&sphere(&input["sphere"])?)),
        "aabb_closest_point" => case.point("point", aabb(&input["aabb"])?.closest_point(point(&input["point"]))),
        "aabb_point_distance" => {
            case.near("distance", aabb(&input["aabb"])?.distance(point(&input["point"])).into());
        }
        "aabb_union" | "aabb_intersection" => {
            let (a, b) = (aabb(&input["a"])?, aabb(&input["b"])?);
            let both = if case.op() == "aabb_union" { Some(a.union(&b)) } else { a.intersection(&b) };
            let both = both.ok_or(Skip::Reason("nothing in common"))?;
            case.point("min", both.min());
            case.point("max", both.max());
        }
        "aabb_support" => {
            // If the direction is zero on an axis, either end is the farthest.
            let (aabb, direction) = (aabb(&input["aabb"])?, point(&input["dir"]));
            let theirs = point(&case.line["expect"]["point"]);
            let free = direction.cmpeq(Vec3::ZERO);
            case.point("point", Vec3::select(free, theirs, aabb.support(direction)));
        }
        "sphere_contains_point" => case.is("hit", sphere(&input["sphere"])?.contains_point(point(&input["point"]))),
        "sphere_sphere" => case.is("hit", sphere(&input["a"])?.overlaps(&sphere(&input["b"])?)),
        "obb_obb" => case.is("hit", obb(&input["a"])?.overlaps(&obb(&input["b"])?)),
        "obb_sphere" => {
            let (obb, sphere) = (obb(&input["obb"])?, sphere(&input["sphere"])?);
            case.is("hit", obb.overlaps_sphere(&sphere));
            case.near("distance", obb.distance(sphere.center()).into());
        }
        "plane_point_distance" => {
            case.near("distance", plane(&input["plane"])?.signed_distance(point(&input["point"])).into());
        }
        "plane_sphere_distance" => {
            let (plane, sphere) = (plane(&input["plane"])?, sphere(&input["sphere"])?);
            case.near("distance", f64::from(plane.signed_distance(sphere.center())) - f64::from(sphere.radius()));
        }
        "plane_aabb" => side(case, plane(&input["plane"])?.side_of_aabb(&aabb(&input["aabb"])?)),
        "plane_obb" => side(case, plane(&input["plane"])?.side_of_obb(&obb(&input["obb"])?)),
        "plane_sphere" => side(case, plane(&input["plane"])?.side_of_sphere(&sphere(&input["sphere"])?)),
        "three_planes" => {
            let planes = planes(&input["planes"])?;
            let corner = Plane::corner(&planes[0], &planes[1], &planes[2]);
            case.is("hit", corner.is_some());
            if let Some(corner) = corner {
                case.point("point", corner);
            }
        }
        "frustum_point" | "frustum_aabb" | "frustum_obb" | "frustum_sphere" => {
            let frustum = Frustum::from_planes(&planes(&input["planes"])?)?;
            match case.op() {
                "frustum_point" => case.is("hit", frustum.contains_point(point(&input["point"]))),
                "frustum_aabb" => {
                    let aabb = aabb(&input["aabb"])?;
                    containment(case, frustum.containment_of_aabb(&aabb));
                    case.is("exact_overlap", frustum.intersects_aabb(&aabb));
                }
                "frustum_obb" => {
                    let obb = obb(&input["obb"])?;
                    containment(case, frustum.containment_of_obb(&obb));
                    case.is("exact_overlap", frustum.intersects_obb(&obb));
                }
                _ => {
                    let sphere = sphere(&input["sphere"])?;
                    containment(case, frustum.containment_of_sphere(&sphere));
                    case.is("exact_overlap", frustum.intersects_sphere(&sphere));
                }
            }
        }
        // A sweep ignores what is wholly behind a plane; there the depth is that of the lowest point.
        "sphere_halfspace_contact" => {
            let (sphere, plane) = (sphere(&input["sphere"])?, plane(&input["plane"])?);
            case.is("hit", plane.side_of_sphere(&sphere) != Side::Front);
            case.near("depth", f64::from(sphere.radius()) - f64::from(plane.signed_distance(sphere.center())));
        }
        "box_halfspace_contact" => {
            let (aabb, plane) = (aabb(&input["aabb"])?, plane(&input["plane"])?);
            case.is("hit", plane.side_of_aabb(&aabb) != Side::Front);
            case.near("depth", -f64::from(plane.signed_distance(aabb.support(-plane.normal()))));
        }
        "sweep_aabb_aabb" => {
            let step = input["tmax"].as_f64().unwrap_or(1e6);
            let body = Obb::from(&aabb(&input["moving"])?);
            let sweep = BoxSweep::new(body, (wide(&input["dir"]) * step).as_vec3())?;
            let sweep = sweep.against(aabb(&input["static"])?);
            // Their sweeps that start inside have a hit at 0.
            case.is("hit", sweep != Sweep::Clear);
            case.near("t", sweep.hit().map_or(0.0, |hit| step * f64::from(hit.toi)));
        }
        // A moving sphere against one at rest is its centre against the sum of both radii.
        "sweep_sphere_sphere" => {
            let (moving, still) = (sphere(&input["moving"])?, sphere(&input["static"])?);
            let sum = Sphere::new(still.center(), moving.radius() + still.radius())?;
            let way = serde_json::json!({
                "origin": input["moving"]["center"], "dir": input["dir"], "tmax": input["tmax"]
            });
            let step = way["tmax"].as_f64().unwrap_or(1e6);
            let hit = Segment::new(point(&way["origin"]), (wide(&way["dir"]) * step).as_vec3())?.cast(&sum);
            case.is("hit", hit.is_some());
            case.near("t", hit.map_or(f64::NAN, |hit| step * f64::from(hit.fraction)));
        }
        _ => return Err(Skip::Reason("an operation that does not exist here")),
    }
    Ok(())
}

/// Casts a ray in units of its given direction, twice: as our ray, whose unit direction is rounded, and as a segment
/// whose delta is a power of two times the direction, which is not rounded.
fn ray(case: &mut Case, ray: &Value, shape: &impl Cast) -> Result<(), Skip> {
    let (origin, direction) = (point(&ray["origin"]), wide(&ray["dir"]));
    let max = ray["tmax"].as_f64().unwrap_or(f64::INFINITY);
    if direction == DVec3::ZERO {
        // Refused as a ray; as a segment it queries a point.
        crossing(case, Segment::new(origin, Vec3::ZERO)?.cast(shape), 1.0);
        return Ok(());
    }
    let length = direction.length();
    let hit = Ray::new(origin, direction.as_vec3())?.cast(shape, (max * length) as f32);
    let is_axial = direction.to_array().iter().filter(|&&x| x != 0.0).count() == 1;
    let was_exact = case.is_exact;
    case.is_exact = was_exact && is_axial;
    case.is("hit", hit.is_some());
    if let Some(hit) = hit {
        case.near("t_enter", f64::from(hit.distance) / length);
        case.is("origin_inside", hit.inside);
        exit(case, f64::from(hit.exit) / length, max);
    }
    case.is_exact = was_exact;
    let step = if max.is_finite() { max } else { 2f64.powi(40) };
    if let Ok(segment) = Segment::new(origin, (direction * step).as_vec3())
        && segment.delta().as_dvec3() == direction * step
    {
        crossing(case, segment.cast(shape), step);
    }
    Ok(())
}

fn ray_plane(case: &mut Case, value: &Value, plane: &Plane) -> Result<(), Skip> {
    side_of_start(case, plane, point(&value["origin"]));
    let expects_behind = case.line["expect"]["t"].as_f64().is_some_and(|t| t < 0.0);
    if expects_behind {
        // Their time is on the whole line; a ray does not go there.
        let hit = Ray::new(point(&value["origin"]), point(&value["dir"]))?.cast(plane, f32::INFINITY);
        case.is("hit", hit.is_some());
        return Ok(());
    }
    ray(case, value, plane)
}

/// Compares what a segment reports, with its fractions in units of `step`.
fn crossing(case: &mut Case, hit: Option<SegmentIntersection>, step: f64) {
    case.is("hit", hit.is_some());
    let Some(hit) = hit else { return };
    case.is("origin_inside", hit.inside);
    for field in ["t", "t_enter"] {
        case.near(field, step * f64::from(hit.fraction));
    }
    exit(case, step * f64::from(hit.exit), step);
}

/// Compares an exit. Theirs may be beyond the path's end, where ours is the end; and a point in a box, which stays
/// there, leaves at 0 for them.
fn exit(case: &mut Case, got: f64, end: f64) {
    let Some(expected) = case.line["expect"]["t_exit"].as_f64() else { return };
    let is_point = expected == 0.0 && got == end;
    if expected <= end && !is_point {
        case.near("t_exit", got);
    } else if !is_point {
        case.compare("t_exit", got == end, got.to_string());
    }
}

fn side_of_start(case: &mut Case, plane: &Plane, start: Vec3) {
    let name = match plane.side_of_point(start) {
        Side::Front => "front",
        Side::Straddling => "on",
        Side::Back => "back",
    };
    case.named("side_of_origin", name);
}

fn side(case: &mut Case, side: Side) {
    let name = match side {
        Side::Front => "front",
        Side::Straddling => "intersecting",
        Side::Back => "back",
    };
    case.named("side", name);
}

fn containment(case: &mut Case, containment: Containment) {
    let name = match containment {
        Containment::Inside => "inside",
        Containment::Crossing => "intersecting",
        Containment::Outside => "outside",
    };
    case.named("class", name);
}

fn is_orthogonal(axes: &Value) -> bool {
    let [a, b, c] = [0, 1, 2].map(|i| wide(&axes[i]));
    a.dot(b).abs().max(b.dot(c).abs()).max(c.dot(a).abs()) < 1e-6
}
