//! The equations of direct methods over bodies: the rows of contacts by body, and the blocks of two bodies.
use nalgebra::{Matrix3, Vector3};

use crate::direct::contact_system::ContactSystem;
use crate::math::block_lu::BlockLu;
use crate::math::real::Real;
use crate::math::square::{Square, square};
use crate::sweep::mechanics::BodyRows;

/// No node.
pub(crate) const NONE: u16 = u16::MAX;

/// A contact's moving bodies, by node.
pub(crate) fn body_rows_of<T: Real>(
    body_nodes: &[[u16; 2]],
    problem: &dyn ContactSystem<T>,
    index: usize,
) -> impl Iterator<Item = (usize, BodyRows<T>)> + use<T> {
    let nodes = body_nodes.get(index).copied().unwrap_or([NONE; 2]);
    let body_rows = [problem.body_rows(index, 0), problem.body_rows(index, 1)];
    nodes.into_iter().zip(body_rows).filter_map(|(node, body_rows)| Some((usize::from(node), body_rows?)))
}

/// `J v` of a contact.
pub(crate) fn velocity_at<T: Real>(
    body_nodes: &[[u16; 2]],
    values: &[[T; 6]],
    problem: &dyn ContactSystem<T>,
    index: usize,
) -> Vector3<T> {
    let mut velocity = Vector3::zeros();
    for (node, body_rows) in body_rows_of(body_nodes, problem, index) {
        let Some(value) = values.get(node) else { continue };
        for (sum, jacobian) in velocity.iter_mut().zip(&body_rows.jacobian) {
            jacobian.iter().zip(value).for_each(|(jacobian, value)| *sum += *jacobian * *value);
        }
    }
    velocity
}

/// The rows of a line on its two sides.
type Sides<T> = [Option<BodyRows<T>>; 2];

/// The blocks of two bodies, or of one if the other does not move.
pub(crate) struct PairBlocks<T> {
    pub nodes: [u16; 2],
    blocks: [[Square<T, 6>; 2]; 2],
}

impl<T: Real> PairBlocks<T> {
    pub fn new(nodes: [u16; 2]) -> Self {
        PairBlocks { nodes, blocks: [[[[T::ZERO; 6]; 6]; 2]; 2] }
    }

    /// Adds `M⁻¹Jᵀ · stiffness · J`, with the rows `J` of one or two lines of a contact.
    pub fn add_rows(&mut self, pushed: &Sides<T>, stiffness: &Matrix3<T>, seen: &Sides<T>) {
        for (row, blocks) in pushed.iter().zip(&mut self.blocks) {
            for (column, block) in seen.iter().zip(blocks) {
                if let (Some(row), Some(column)) = (row, column) {
                    add_body_block(block, &row.inv_mass_jacobian, stiffness, &column.jacobian);
                }
            }
        }
    }

    pub fn add_to(&self, factor: &mut BlockLu<'_, T>) {
        for (row, blocks) in self.nodes.iter().zip(&self.blocks) {
            for (column, block) in self.nodes.iter().zip(blocks) {
                if *row != NONE && *column != NONE {
                    factor.add(usize::from(*row), usize::from(*column), block);
                }
            }
        }
    }
}

pub(crate) fn unit_row<T: Real>(row: usize) -> [T; 6] {
    core::array::from_fn(|column| if column == row { T::ONE } else { T::ZERO })
}

/// Adds `inv_mass_jacobianᵀ · middle · jacobian`.
fn add_body_block<T: Real>(
    sum: &mut Square<T, 6>,
    inv_mass_jacobian: &[[T; 6]; 3],
    middle: &Matrix3<T>,
    jacobian: &[[T; 6]; 3],
) {
    for (inv_mass_jacobian, weights) in inv_mass_jacobian.iter().zip(square(middle)) {
        let mut row = [T::ZERO; 6];
        for (weight, jacobian) in weights.iter().zip(jacobian) {
            row.iter_mut().zip(jacobian).for_each(|(sum, jacobian)| *sum += *weight * *jacobian);
        }
        for (sum, inv_mass_jacobian) in sum.iter_mut().zip(inv_mass_jacobian) {
            sum.iter_mut().zip(&row).for_each(|(sum, row)| *sum += *inv_mass_jacobian * *row);
        }
    }
}
