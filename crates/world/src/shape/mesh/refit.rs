//! New places for the vertices of a mesh whose triangles stay.

use super::{Mesh, MeshData, MeshError, bounds};
use cullide_narrowphase::glam::Vec3;
use std::sync::{Arc, OnceLock};

impl Mesh {
    /// Moves the vertices, as of a mesh that deforms: it then answers as a new mesh of them would, for less. The order
    /// of the triangles in memory and the shape of the tree stay; where triangles that were close come to be far apart,
    /// a new mesh is faster. Only when a triangle loses its area, or gets one, is everything rebuilt.
    ///
    /// Clones stay as they are: while there is one, as in a world, what they share is copied first. Give the object the
    /// new shape with [`World::set_shape`](crate::World::set_shape).
    ///
    /// # Errors
    /// [`MeshError::VertexCount`] and [`MeshError::BadVertex`] with the first that is wrong: the mesh stays as it is.
    ///
    /// ```
    /// # use cullide_world::{Mesh, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    /// let mut flag = Mesh::new(&corners, &[[0, 1, 2]])?;
    /// flag.refit(&corners.map(|corner| corner + Vec3::Z))?;
    /// assert_eq!(flag.triangle(0).unwrap().points()[1], Vec3::new(1.0, 0.0, 1.0));
    /// # Ok::<(), cullide_world::MeshError>(())
    /// ```
    pub fn refit(&mut self, vertices: &[Vec3]) -> Result<(), MeshError> {
        let expected = self.vertices().len();
        if vertices.len() != expected {
            return Err(MeshError::VertexCount { vertices: vertices.len(), expected });
        }
        super::check(vertices)?;
        let data = Arc::make_mut(&mut self.0);
        data.vertices.clear();
        data.vertices.extend(vertices.iter().map(|vertex| vertex + Vec3::ZERO));
        data.hash = OnceLock::new();
        if !data.refit() {
            let triangles: Vec<[u32; 3]> = self.all_corners().collect();
            let data = Arc::make_mut(&mut self.0);
            let (vertices, surfaces) = (std::mem::take(&mut data.vertices), std::mem::take(&mut data.surfaces));
            *data = MeshData { surfaces, sides: data.sides, ..MeshData::new(vertices, &triangles) };
        }
        Ok(())
    }
}

impl MeshData {
    /// Moves the triangles of the tree, unless there are now others with an area.
    fn refit(&mut self) -> bool {
        let Self { vertices, tree, degenerate, .. } = self;
        let has_area = |corners: [u32; 3]| super::has_area(vertices, corners);
        let numbers = tree.groups().leaves().flat_map(|leaf| tree.numbers(leaf));
        let is_same = numbers.filter_map(|&number| tree.vertices(number)).all(has_area)
            && !degenerate.iter().any(|(_, corners)| has_area(*corners));
        if is_same {
            tree.refit(vertices);
            let first = degenerate.first().map_or(0, |(_, corners)| corners[0]);
            self.aabb = bounds(tree, vertices[first as usize]);
        }
        is_same
    }
}
