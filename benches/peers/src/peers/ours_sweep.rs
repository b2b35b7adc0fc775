//! `cullide-narrowphase`: moving boxes against planes, one at a time and many at once.

use crate::{
    peer::Support,
    sweep_peer::{Case, Question, SKIN, SweepPeer, Verdict},
};
use cullide_narrowphase::{
    BoxColumns, BoxSweep, Obb, Plane, PlaneTouch, Sides, Sweep, TurningBoxSweep,
    glam::{DQuat, DVec3, Vec3},
};
use std::{hint::black_box, ops::Range, rc::Rc};

/// Sweeps constructed in advance, and their planes.
pub struct Pairs {
    sweeps: Vec<BoxSweep>,
    planes: Vec<Plane>,
}

/// One box after another, with sweeps constructed in advance.
pub struct OneAtATime {
    pairs: Rc<Pairs>,
    turning: Vec<TurningBoxSweep>,
    answers: Vec<Verdict>,
}

/// The same sweeps, asked only for time and vertices.
pub struct TouchAlone {
    pairs: Rc<Pairs>,
    answers: Vec<PlaneTouch>,
}

/// One box after another, with sweeps that are constructed, and checked, from a box and its motion in the timed call.
pub struct MadeAnew {
    bodies: Vec<(Obb, Vec3, Vec3)>,
    planes: Vec<Plane>,
    answers: Vec<Verdict>,
}

impl Pairs {
    pub fn new(cases: &[Case]) -> Rc<Self> {
        let sweeps = cases.iter().map(|case| sweep(obb(case), case.motion)).collect();
        Rc::new(Self { sweeps, planes: cases.iter().map(plane).collect() })
    }
}

impl OneAtATime {
    pub fn new(pairs: &Rc<Pairs>, cases: &[Case]) -> Self {
        let turning = cases.iter().map(|case| turning(obb(case), case.motion, case.turn)).collect();
        Self { pairs: pairs.clone(), turning, answers: Vec::new() }
    }
}

impl TouchAlone {
    pub fn new(pairs: &Rc<Pairs>) -> Self {
        Self { pairs: pairs.clone(), answers: Vec::new() }
    }
}

impl MadeAnew {
    pub fn new(cases: &[Case]) -> Self {
        Self {
            bodies: cases.iter().map(|case| (obb(case), case.motion, case.turn)).collect(),
            planes: cases.iter().map(plane).collect(),
            answers: Vec::new(),
        }
    }
}

fn obb(case: &Case) -> Obb {
    Obb::from_half_edges(case.center, case.half_edges).expect("a box")
}

fn plane(case: &Case) -> Plane {
    Plane::new(case.normal, case.d).expect("a unit normal")
}

fn sweep(body: Obb, motion: Vec3) -> BoxSweep {
    BoxSweep::new(body, motion).expect("in range")
}

fn turning(body: Obb, motion: Vec3, turn: Vec3) -> TurningBoxSweep {
    sweep(body, motion).rotating(turn).expect("in range")
}

/// The verdicts of sweeps. Those that are asked for contacts are written to memory in full: time, position, normal and
/// points.
fn answer(
    question: Question,
    cases: Range<usize>,
    answers: &mut Vec<Verdict>,
    straight: impl Fn(usize) -> Sweep,
    turning: impl Fn(usize) -> Sweep,
) {
    match question {
        Question::Time => answers.extend(cases.map(|i| Verdict::from(&straight(i)))),
        Question::Contacts => answers.extend(cases.map(|i| Verdict::from(black_box(&straight(i))))),
        Question::Turning => answers.extend(cases.map(|i| Verdict::from(black_box(&turning(i))))),
    }
}

impl SweepPeer for OneAtATime {
    fn name(&self) -> &str {
        "ours"
    }

    fn ask(&mut self, question: Question, cases: Range<usize>) -> Support {
        let Self { pairs, turning, answers } = self;
        let Pairs { sweeps, planes } = &**pairs;
        let straight = |i: usize| sweeps[i].against_plane(&planes[i], Sides::Front);
        let turning = |i: usize| turning[i].against_plane(&planes[i], Sides::Front, SKIN);
        answer(question, cases, answers, straight, turning);
        Support::Answered
    }

    fn take(&mut self) -> Vec<Verdict> {
        self.answers.drain(..).collect()
    }
}

impl SweepPeer for TouchAlone {
    fn name(&self) -> &str {
        "ours, touch"
    }

    fn ask(&mut self, question: Question, cases: Range<usize>) -> Support {
        if question == Question::Turning {
            return Support::NotOffered;
        }
        // One answer gives both the time and the vertices.
        let Self { pairs, answers } = self;
        let Pairs { sweeps, planes } = &**pairs;
        answers.extend(cases.map(|i| sweeps[i].touch_plane(&planes[i], Sides::Front)));
        Support::Answered
    }

    fn take(&mut self) -> Vec<Verdict> {
        self.answers.drain(..).map(Verdict::from).collect()
    }
}

impl SweepPeer for MadeAnew {
    fn name(&self) -> &str {
        "ours, constructed"
    }

    fn ask(&mut self, question: Question, cases: Range<usize>) -> Support {
        let Self { bodies, planes, answers } = self;
        let straight = |i: usize| sweep(bodies[i].0, bodies[i].1).against_plane(&planes[i], Sides::Front);
        let turning = |i: usize| {
            let (body, motion, turn) = bodies[i];
            turning(body, motion, turn).against_plane(&planes[i], Sides::Front, SKIN)
        };
        answer(question, cases, answers, straight, turning);
        Support::Answered
    }

    fn take(&mut self) -> Vec<Verdict> {
        self.answers.drain(..).collect()
    }
}

/// Many boxes against one plane, from columns. Each case is carried to the plane of the first by a rigid motion, so
/// that box, motion and plane keep their relative positions.
pub struct Batch {
    columns: Columns,
    /// All columns, checked; if `None`, a part of them is checked with each query.
    checked: Option<BoxColumns<'static>>,
    plane: Plane,
    answers: Vec<PlaneTouch>,
}

/// Coordinates of centres, half edges and motions.
type Columns = [[&'static [f32]; 3]; 5];

impl Batch {
    pub fn new(cases: &[Case], is_checked: bool) -> Self {
        let plane = plane(&cases[0]);
        let carried: Vec<[Vec3; 5]> = cases.iter().map(|case| vectors(&carried(case, &plane))).collect();
        // They live as long as the program, which has one such table.
        let column = |v: usize, axis: usize| &*carried.iter().map(|case| case[v][axis]).collect::<Vec<_>>().leak();
        let columns: Columns = std::array::from_fn(|v| std::array::from_fn(|axis| column(v, axis)));
        Self { columns, checked: is_checked.then(|| boxes(columns)), plane, answers: Vec::new() }
    }
}

fn boxes([center, a, b, c, motion]: Columns) -> BoxColumns<'static> {
    BoxColumns::new(center, [a, b, c], motion).expect("in range")
}

fn vectors(case: &Case) -> [Vec3; 5] {
    let [a, b, c] = case.half_edges;
    [case.center, a, b, c, case.motion]
}

/// The case moved and rotated as a whole so that its plane is the given one.
fn carried(case: &Case, plane: &Plane) -> Case {
    let (from, to) = (case.normal.as_dvec3().normalize(), plane.normal().as_dvec3().normalize());
    let turn = DQuat::from_rotation_arc(from, to);
    let turned = |v: Vec3| turn * v.as_dvec3();
    let shift: DVec3 = to * f64::from(case.d - plane.d());
    Case {
        center: (turned(case.center) + shift).as_vec3(),
        half_edges: case.half_edges.map(|edge| turned(edge).as_vec3()),
        motion: turned(case.motion).as_vec3(),
        turn: turned(case.turn).as_vec3(),
        normal: plane.normal(),
        d: plane.d(),
    }
}

impl SweepPeer for Batch {
    fn name(&self) -> &str {
        if self.checked.is_some() { "ours, batch" } else { "ours, batch constructed" }
    }

    fn ask(&mut self, question: Question, cases: Range<usize>) -> Support {
        if question == Question::Turning {
            return Support::NotOffered;
        }
        // One answer gives both the time and the vertices.
        let boxes = match self.checked {
            Some(checked) => checked.get(cases).expect("in range"),
            None => boxes(self.columns.map(|vector| vector.map(|column| &column[cases.clone()]))),
        };
        boxes.against_plane(&self.plane, Sides::Front, &mut self.answers);
        Support::Answered
    }

    fn take(&mut self) -> Vec<Verdict> {
        self.answers.drain(..).map(Verdict::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep_peer::cases;

    #[test]
    fn the_batch_gives_the_answers_of_single_sweeps() {
        let cases = cases(1001, 2);
        let plane = plane(&cases[0]);
        let mut batch = Batch::new(&cases, true);
        assert_eq!(batch.ask(Question::Contacts, 0..cases.len()), Support::Answered);
        for (i, (case, touch)) in cases.iter().zip(&batch.answers).enumerate() {
            let case = carried(case, &plane);
            let sweep = BoxSweep::new(obb(&case), case.motion).unwrap().against_plane(&plane, Sides::Front);
            assert_eq!(PlaneTouch::from(sweep), *touch, "{i}");
        }
    }
}
