//! The answers that other libraries' test suites agree on, taken from the shared oracles.

use cullide_oracle::*;
use serde_json::Value;

type Point3 = [f64; 3];

fn array<const N: usize>(value: &Value) -> [f64; N] {
    let numbers: Vec<f64> = value.as_array().expect("an array").iter().map(number).collect();
    numbers.try_into().expect("of the right length")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn aabb(value: &Value) -> Aabb<f64> {
    [array(&value["min"]), array(&value["max"])]
}

fn sphere(value: &Value) -> Sphere<f64> {
    let [x, y, z] = array(&value["center"]);
    [x, y, z, number(&value["radius"])]
}

fn obb(value: &Value) -> Obb<f64> {
    let (half, axes): (Point3, _) = (array(&value["half"]), &value["axes"]);
    let edge = |i: usize| array::<3>(&axes[i]).map(|x| x * half[i]);
    [array(&value["center"]), edge(0), edge(1), edge(2)]
}

fn is_orthogonal(axes: &Value) -> bool {
    let axes: [Point3; 3] = [0, 1, 2].map(|i| array(&axes[i]));
    let dot = |i: usize, j: usize| (0..3).map(|k| axes[i][k] * axes[j][k]).sum::<f64>();
    [(0, 1), (1, 2), (2, 0)].into_iter().all(|(i, j)| dot(i, j).abs() < 1e-6)
}

fn planes(value: &Value) -> Vec<Plane<f64>> {
    value.as_array().expect("planes").iter().map(array).collect()
}

fn ray(value: &Value) -> Path {
    let max = value["tmax"].as_f64().unwrap_or(f64::INFINITY);
    Path::ray(array(&value["origin"]), array(&value["dir"]), max)
}

fn segment(value: &Value) -> Path {
    let (a, b): (Point3, Point3) = (array(&value["a"]), array(&value["b"]));
    Path::segment(a, std::array::from_fn(|i| b[i] - a[i]))
}

/// The oracle's answers to one case, compared with the fields of its file.
struct Answers {
    expect: Value,
    /// Decimal inputs and rounded answers.
    tolerance: f64,
    boundary: bool,
    wrong: Vec<String>,
}

impl Answers {
    fn is(&mut self, field: &str, got: bool) {
        if let Some(expected) = self.expect[field].as_bool()
            && expected != got
            && !self.boundary
        {
            self.wrong.push(format!("{field}: {got}"));
        }
    }

    fn named(&mut self, field: &str, got: &str) {
        if let Some(expected) = self.expect[field].as_str()
            && expected != got
            && !self.boundary
        {
            self.wrong.push(format!("{field}: {got}"));
        }
    }

    fn near(&mut self, field: &str, got: f64) {
        if let Some(expected) = self.expect[field].as_f64()
            && (got.is_nan() || (got - expected).abs() > self.tolerance * expected.abs().max(1.0))
        {
            self.wrong.push(format!("{field}: {got}"));
        }
    }

    fn crossing(&mut self, crossing: Option<Crossing>) {
        self.is("hit", crossing.is_some());
        if let Some(Crossing { enter, exit, inside }) = crossing {
            self.near("t_enter", enter.to_f64());
            self.is("origin_inside", inside);
            // Some of them end a segment's stay at the end of the segment.
            if let Some(exit) = exit.filter(|_| self.expect["t_exit"].as_f64() != Some(1.0)) {
                self.near("t_exit", exit.to_f64());
            }
        }
    }

    fn plane_crossing(&mut self, crossing: PlaneCrossing) {
        if self.expect["degenerate"].is_null() {
            self.is("hit", crossing.hit.is_some());
        }
        if let Some(t) = crossing.hit {
            self.near("t", t.to_f64());
        }
        let side = ["back", "on", "front"][(crossing.start as i8 + 1) as usize];
        self.named("side_of_origin", side);
    }

    fn side(&mut self, side: Side) {
        let name = match side {
            Side::Front => "front",
            Side::Straddling => "straddling",
            Side::Back => "back",
        };
        if self.expect["side"].as_str() != Some("intersecting") || side != Side::Straddling {
            self.named("side", name);
        }
    }

    fn containment(&mut self, containment: Containment) {
        let name = match containment {
            Containment::Inside => "inside",
            Containment::Crossing => "intersecting",
            Containment::Outside => "outside",
        };
        self.named("class", name);
    }
}

fn check(op: &str, input: &Value, answers: &mut Answers) -> Option<()> {
    match op {
        "ray_plane" => answers.plane_crossing(path_plane(&ray(&input["ray"]), array(&input["plane"]))),
        "segment_plane" => answers.plane_crossing(path_plane(&segment(&input["segment"]), array(&input["plane"]))),
        "ray_sphere" => answers.crossing(path_sphere(&ray(&input["ray"]), sphere(&input["sphere"]))),
        "segment_sphere" => answers.crossing(path_sphere(&segment(&input["segment"]), sphere(&input["sphere"]))),
        "ray_aabb" => answers.crossing(path_aabb(&ray(&input["ray"]), aabb(&input["aabb"]))),
        "segment_aabb" => answers.crossing(path_aabb(&segment(&input["segment"]), aabb(&input["aabb"]))),
        // With skewed axes (case 1644), slabs across the axes and a box with edges along them are two different sets.
        "ray_obb" if is_orthogonal(&input["obb"]["axes"]) => {
            answers.crossing(path_obb(&ray(&input["ray"]), obb(&input["obb"])));
        }
        "segment_convex" => {
            let solid: Vec<_> =
                planes(&input["planes_outward"]).into_iter().map(|[a, b, c, d]| [a, b, c, -d]).collect();
            answers.crossing(path_solid(&segment(&input["segment"]), &solid));
        }
        "aabb_contains_point" => {
            answers.is("closed", aabb_contains_point(aabb(&input["aabb"]), array::<3>(&input["point"])))
        }
        "aabb_contains_aabb" => answers.is("hit", aabb_contains_aabb(aabb(&input["outer"]), aabb(&input["inner"]))),
        "aabb_aabb" => answers.is("closed", aabb_aabb(aabb(&input["a"]), aabb(&input["b"]))),
        "aabb_sphere" => answers.is("hit", aabb_sphere(aabb(&input["aabb"]), sphere(&input["sphere"]))),
        "aabb_point_distance" => {
            let square = aabb_distance_squared(aabb(&input["aabb"]), array::<3>(&input["point"]));
            answers.near("distance", square.to_f64().sqrt());
        }
        "sphere_contains_point" => {
            answers.is("hit", sphere_contains_point(sphere(&input["sphere"]), array::<3>(&input["point"])))
        }
        "sphere_sphere" => answers.is("hit", sphere_sphere(sphere(&input["a"]), sphere(&input["b"]))),
        "obb_obb" => answers.is("hit", obb_obb(obb(&input["a"]), obb(&input["b"]))),
        "obb_sphere" => answers.is("hit", obb_sphere(obb(&input["obb"]), sphere(&input["sphere"]))),
        "plane_point_distance" => {
            let plane: Plane<f64> = array(&input["plane"]);
            let length = plane[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
            answers.near("distance", height(plane, array::<3>(&input["point"])).to_f64() / length);
        }
        "plane_aabb" => answers.side(side_of_aabb(array(&input["plane"]), aabb(&input["aabb"]))),
        "plane_obb" => answers.side(side_of_obb(array(&input["plane"]), obb(&input["obb"]))),
        "plane_sphere" => {
            answers.side(side_of_sphere(array(&input["plane"]), sphere(&input["sphere"]), NormalLength::Stored));
        }
        "frustum_point" => {
            answers.is("hit", frustum_contains_point(&planes(&input["planes"]), array::<3>(&input["point"])))
        }
        "frustum_aabb" => {
            let (planes, aabb) = (planes(&input["planes"]), aabb(&input["aabb"]));
            answers.containment(frustum_planes_aabb(&planes, aabb));
            answers.is("exact_overlap", frustum_aabb(&planes, aabb) != Containment::Outside);
        }
        "frustum_obb" => {
            let (planes, obb) = (planes(&input["planes"]), obb(&input["obb"]));
            answers.containment(frustum_planes_obb(&planes, obb));
            answers.is("exact_overlap", frustum_obb(&planes, obb) != Containment::Outside);
        }
        "frustum_sphere" => {
            let (planes, sphere) = (planes(&input["planes"]), sphere(&input["sphere"]));
            answers.containment(frustum_sphere(&planes, sphere, NormalLength::Stored));
            let solid: Vec<_> = planes.iter().map(|&[a, b, c, d]| [-a, -b, -c, d]).collect();
            let [x, y, z, radius] = sphere;
            let square = solid_distance_squared(&solid, [x, y, z]);
            let reach = Exact::new(radius) * Exact::new(radius);
            answers.is("exact_overlap", square.is_some_and(|square| square.cmp_exact(&reach).is_le()));
        }
        "three_planes" => {
            let planes = planes(&input["planes"]);
            let exact = [0, 1, 2].map(|i| {
                let [a, b, c, d] = planes[i];
                (Vector::new([a, b, c]), Exact::new(-d))
            });
            let point = common_point([0, 1, 2].map(|i| (&exact[i].0, &exact[i].1)));
            answers.is("hit", point.is_some());
            if let (Some(point), true) = (point, answers.expect["point"].is_array()) {
                let expected: Point3 = array(&answers.expect["point"]);
                let near = (0..3).all(|i| (point.to_f64()[i] - expected[i]).abs() < 1e-9);
                assert!(near, "{point:?} {expected:?}");
            }
        }
        "sweep_aabb_aabb" => {
            let step = input["tmax"].as_f64().unwrap_or(1e6);
            let delta = array::<3>(&input["dir"]).map(|x| x * step);
            let sweep = sweep_aabb_aabb(aabb(&input["moving"]), delta, aabb(&input["static"]));
            // Their sweeps that start inside have a hit at 0.
            answers.is("hit", matches!(sweep, Sweep::Hit(_) | Sweep::Overlap));
            answers.near("t", sweep.toi().map_or(0.0, |toi| step * toi.to_f64()));
        }
        _ => return None,
    }
    Some(())
}

#[test]
#[ignore = "reads the shared data"]
fn the_oracle_agrees_with_the_cases_that_others_wrote() {
    let path = cullide_scenes::oracles_dir().join("cases.jsonl");
    let text = std::fs::read_to_string(path).expect("the shared cases");
    let (mut known, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("a case a line");
        let op = case["op"].as_str().expect("an operation");
        let exact_inputs = line_is_dyadic(&case["in"]);
        let mut answers = Answers {
            expect: case["expect"].clone(),
            tolerance: case["tol"].as_f64().unwrap_or(1e-9),
            boundary: case["boundary"].as_bool().unwrap_or(false) && !exact_inputs,
            wrong: Vec::new(),
        };
        known += usize::from(check(op, &case["in"], &mut answers).is_some());
        if !answers.wrong.is_empty() {
            wrong.push(format!("{:?} in {line}", answers.wrong));
        }
    }
    assert!(wrong.is_empty(), "{} of {known}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(known > 980, "{known} cases were known");
}

/// Whether all numbers are multiples of 2^-20, so that being exactly on a border survives the conversion to decimals.
fn line_is_dyadic(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|x| (x * 1_048_576.0).fract() == 0.0),
        Value::Array(items) => items.iter().all(line_is_dyadic),
        Value::Object(fields) => fields.values().all(line_is_dyadic),
        _ => true,
    }
}
