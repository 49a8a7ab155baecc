//! Where in a file mutants can be switched on: the positions of the list, found in the syntax tree.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr};

use crate::list::{Genre, Position};

/// The syntax at a site. Ranges are bytes of the file.
#[derive(Debug, Clone)]
pub enum Shape {
    /// `left op right`, both values.
    Arithmetic { left: Range<usize>, right: Range<usize>, operator: Range<usize> },
    /// The same, with operands by reference.
    Comparison { left: Range<usize>, right: Range<usize>, operator: Range<usize> },
    /// `&&` or `||`.
    Logic { left: Range<usize>, right: Range<usize>, and: bool },
    /// `left op= right`.
    Assignment { left: Range<usize>, right: Range<usize>, operator: Range<usize> },
    /// `op operand`.
    Unary { operand: Range<usize>, operator: Range<usize> },
    /// The beginning of a function's body.
    Body,
    /// Between a pattern without a condition and its `=>`.
    Arm,
    /// A match arm's condition; `arm` when the whole arm is removed.
    Guard { arm: bool },
    /// A structure with `..base`; its fields that `base` would give as well.
    Structure { fields: Vec<String>, base: Range<usize> },
    /// An operator that no other can replace: `&&` next to a `let`.
    Binding,
}

/// A site and the mutants there.
#[derive(Debug, Clone)]
pub struct Site {
    /// What is rewritten.
    pub span: Range<usize>,
    /// How.
    pub shape: Shape,
    /// Numbers of the mutants, one after the other.
    pub mutants: Vec<usize>,
}

/// Finds the sites of a file. Mutants left in `positions` have none: constants, `const fn`, patterns.
pub fn find(file: &syn::File, positions: &mut BTreeMap<(Genre, Position), Vec<usize>>) -> Vec<Site> {
    let mut finder = Finder { positions, sites: Vec::new() };
    finder.visit_file(file);
    finder.sites.sort_by_key(|site| (site.span.start, usize::MAX - site.span.end));
    finder.sites
}

struct Finder<'a> {
    positions: &'a mut BTreeMap<(Genre, Position), Vec<usize>>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn take(&mut self, genre: Genre, position: LineColumn, span: Range<usize>, shape: Shape) {
        let position = (position.line as u64, position.column as u64 + 1);
        if let Some(mutants) = self.positions.remove(&(genre, position)) {
            self.sites.push(Site { span, shape, mutants });
        }
    }

    fn numbers(&mut self, genre: Genre, at: &impl Spanned) -> Option<Vec<usize>> {
        let position = at.span().start();
        self.positions.remove(&(genre, (position.line as u64, position.column as u64 + 1)))
    }

    fn body(&mut self, block: &syn::Block) {
        let open = block.brace_token.span.open().byte_range().end;
        self.take(Genre::Function, block.brace_token.span.close().end(), open..open, Shape::Body);
    }
}

fn bytes(of: &impl Spanned) -> Range<usize> {
    of.span().byte_range()
}

impl<'ast> Visit<'ast> for Finder<'_> {
    // Constant expressions cannot be switched at run time.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() {
            self.body(&item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            self.body(&item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        self.take(Genre::Binary, binary.op.span().start(), bytes(binary), binary_shape(binary));
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let shape = Shape::Unary { operand: bytes(&unary.expr), operator: bytes(&unary.op) };
        self.take(Genre::Unary, unary.op.span().start(), bytes(unary), shape);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let position = arm.span().start();
        match &arm.guard {
            None => {
                let end = bytes(&arm.pat).end;
                self.take(Genre::Arm, position, end..end, Shape::Arm);
            }
            Some((_, guard)) => {
                self.take(Genre::Guard, guard.span().start(), bytes(guard), Shape::Guard { arm: false });
                self.take(Genre::Arm, position, bytes(guard), Shape::Guard { arm: true });
            }
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, value: &'ast syn::ExprStruct) {
        if let Some(base) = &value.rest {
            let (mut fields, mut mutants) = (Vec::new(), Vec::new());
            for field in &value.fields {
                if let (syn::Member::Named(name), Some(numbers)) = (&field.member, self.numbers(Genre::Field, field)) {
                    fields.push(name.to_string());
                    mutants.extend(numbers);
                }
            }
            if !mutants.is_empty() {
                self.sites.push(Site {
                    span: bytes(value),
                    shape: Shape::Structure { fields, base: bytes(base) },
                    mutants,
                });
            }
        }
        visit::visit_expr_struct(self, value);
    }
}

fn binary_shape(binary: &syn::ExprBinary) -> Shape {
    let (left, right, operator) = (bytes(&binary.left), bytes(&binary.right), bytes(&binary.op));
    match binary.op {
        BinOp::And(_) | BinOp::Or(_) if binds(&binary.left) || binds(&binary.right) => Shape::Binding,
        BinOp::And(_) | BinOp::Or(_) => Shape::Logic { left, right, and: matches!(binary.op, BinOp::And(_)) },
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
            Shape::Comparison { left, right, operator }
        }
        BinOp::AddAssign(_)
        | BinOp::SubAssign(_)
        | BinOp::MulAssign(_)
        | BinOp::DivAssign(_)
        | BinOp::RemAssign(_)
        | BinOp::BitXorAssign(_)
        | BinOp::BitAndAssign(_)
        | BinOp::BitOrAssign(_)
        | BinOp::ShlAssign(_)
        | BinOp::ShrAssign(_) => Shape::Assignment { left, right, operator },
        _ => Shape::Arithmetic { left, right, operator },
    }
}

fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => matches!(binary.op, BinOp::And(_)) && (binds(&binary.left) || binds(&binary.right)),
        _ => false,
    }
}
