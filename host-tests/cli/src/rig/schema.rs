//! The tables of a recording and their columns. What they mean is in `docs/recording.md`.

const INTEGER: &str = "INTEGER NOT NULL";
const REAL: &str = "REAL NOT NULL";
const TEXT: &str = "TEXT NOT NULL";
const BYTES: &str = "BLOB NOT NULL";

/// A column's name and SQL type.
type Column = (&'static str, &'static str);

/// A table.
pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [Column],
    /// Keys of several columns, and references to other tables.
    keys: &'static str,
}

impl Table {
    /// The names of the columns, in the order of its rows.
    pub fn column_names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|(name, _)| *name).collect()
    }

    /// The statement that creates it. Tables are sorted by their keys.
    fn sql(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
        let keys = if self.keys.is_empty() { String::new() } else { format!(", {}", self.keys) };
        format!("CREATE TABLE {} ({}{keys}) WITHOUT ROWID;\n", self.name, columns.join(", "))
    }
}

/// The statements that create all tables.
pub(super) fn sql() -> String {
    let tables = [
        &ABOUT,
        &BODY_NAMES,
        &JOINT_NAMES,
        &FRAMES,
        &BODIES,
        &SOLVES,
        &CONTACTS,
        &SURFACES,
        &JOINTS,
        &REPORTS,
        &HISTORY,
    ];
    tables.map(Table::sql).concat()
}

const ABOUT: Table = Table { name: "about", columns: &[("key", "TEXT PRIMARY KEY"), ("value", TEXT)], keys: "" };

pub(super) const BODY_NAMES: Table = Table {
    name: "body_names",
    columns: &[
        ("body", "INTEGER PRIMARY KEY"),
        ("name", TEXT),
        ("inverse_mass", REAL),
        ("cx", REAL),
        ("cy", REAL),
        ("cz", REAL),
    ],
    keys: "",
};

pub(super) const JOINT_NAMES: Table =
    Table { name: "joint_names", columns: &[("joint", "INTEGER PRIMARY KEY"), ("name", TEXT)], keys: "" };

pub(super) const FRAMES: Table = Table {
    name: "frames",
    columns: &[
        ("frame", "INTEGER PRIMARY KEY"),
        ("time", REAL),
        ("status", TEXT),
        ("kinetic", REAL),
        ("potential", REAL),
        ("load", REAL),
        ("integration", REAL),
        ("bounce", REAL),
        ("normal", REAL),
        ("friction", REAL),
        ("stabilisation", REAL),
        ("motor_work", REAL),
        ("spring_work", REAL),
        ("joint_friction_work", REAL),
        ("spring_energy", REAL),
        ("contacts", INTEGER),
        ("left_out", INTEGER),
        ("warm_started", INTEGER),
        ("kept", INTEGER),
        ("islands", INTEGER),
        ("sweeps", INTEGER),
        ("newton_steps", INTEGER),
        ("interior_steps", INTEGER),
        ("factors", INTEGER),
        ("corrections", INTEGER),
        ("changed", INTEGER),
        ("safe_blocks", INTEGER),
        ("residual", REAL),
        ("approach", REAL),
        ("depth", REAL),
        ("bounce_dropped", INTEGER),
        ("memory_too_small", INTEGER),
        ("factor_memory_too_small", INTEGER),
        ("guard", INTEGER),
    ],
    keys: "",
};

pub(super) const BODIES: Table = Table {
    name: "bodies",
    columns: &[
        ("frame", INTEGER),
        ("body", INTEGER),
        ("x", REAL),
        ("y", REAL),
        ("z", REAL),
        ("qw", REAL),
        ("qx", REAL),
        ("qy", REAL),
        ("qz", REAL),
        ("vx", REAL),
        ("vy", REAL),
        ("vz", REAL),
        ("wx", REAL),
        ("wy", REAL),
        ("wz", REAL),
    ],
    keys: "PRIMARY KEY (frame, body), FOREIGN KEY (frame) REFERENCES frames, FOREIGN KEY (body) REFERENCES body_names",
};

const SOLVES: Table = Table {
    name: "solves",
    columns: &[("frame", INTEGER), ("substep", INTEGER), ("blocks", BYTES), ("states", BYTES)],
    keys: "PRIMARY KEY (frame, substep)",
};

pub(super) const CONTACTS: Table = Table {
    name: "contacts",
    columns: &[
        ("frame", INTEGER),
        ("substep", INTEGER),
        ("contact", INTEGER),
        ("island", INTEGER),
        ("feature", "INTEGER"),
        ("body_a", INTEGER),
        ("body_b", INTEGER),
        ("nx", REAL),
        ("ny", REAL),
        ("nz", REAL),
        ("rax", REAL),
        ("ray", REAL),
        ("raz", REAL),
        ("rbx", REAL),
        ("rby", REAL),
        ("rbz", REAL),
        ("t1x", REAL),
        ("t1y", REAL),
        ("t1z", REAL),
        ("t2x", REAL),
        ("t2y", REAL),
        ("t2z", REAL),
        ("depth", REAL),
        ("restitution", REAL),
        ("mu", REAL),
        ("normal_impulse", REAL),
        ("bounce_impulse", REAL),
        ("t1_impulse", REAL),
        ("t2_impulse", REAL),
        ("pre_impact_normal_velocity", "REAL"),
        ("state", TEXT),
        ("coupling", "REAL"),
        ("condition", "REAL"),
        ("block_replaced", "INTEGER"),
        ("sliding_x", "REAL"),
        ("sliding_y", "REAL"),
        ("sliding_z", "REAL"),
        ("sliding_frames", "INTEGER"),
    ],
    keys: "PRIMARY KEY (frame, substep, contact), FOREIGN KEY (frame, substep) REFERENCES solves",
};

pub(super) const SURFACES: Table = Table {
    name: "surfaces",
    columns: &[
        ("frame", INTEGER),
        ("substep", INTEGER),
        ("contact", INTEGER),
        ("torsion", REAL),
        ("rolling", REAL),
        ("joined", INTEGER),
        ("tread_x", "REAL"),
        ("tread_y", "REAL"),
        ("tread_z", "REAL"),
        ("mu_across", "REAL"),
        ("warm_x", REAL),
        ("warm_y", REAL),
        ("warm_z", REAL),
        ("moment_x", REAL),
        ("moment_y", REAL),
        ("moment_z", REAL),
        ("slides", INTEGER),
        ("spins", INTEGER),
        ("rolls", INTEGER),
    ],
    keys: "PRIMARY KEY (frame, substep, contact), FOREIGN KEY (frame, substep, contact) REFERENCES contacts",
};

pub(super) const JOINTS: Table = Table {
    name: "joints",
    columns: &[
        ("frame", INTEGER),
        ("substep", INTEGER),
        ("joint", INTEGER),
        ("kind", TEXT),
        ("body_a", INTEGER),
        ("body_b", INTEGER),
        ("ax", REAL),
        ("ay", REAL),
        ("az", REAL),
        ("bx", REAL),
        ("by", REAL),
        ("bz", REAL),
        ("position", REAL),
        ("apart", REAL),
        ("at_limit", INTEGER),
        ("impulse_x", REAL),
        ("impulse_y", REAL),
        ("impulse_z", REAL),
        ("angular_x", REAL),
        ("angular_y", REAL),
        ("angular_z", REAL),
        ("seconds", REAL),
    ],
    keys: "PRIMARY KEY (frame, substep, joint), FOREIGN KEY (frame, substep) REFERENCES solves",
};

pub(super) const REPORTS: Table = Table {
    name: "reports",
    columns: &[
        ("frame", INTEGER),
        ("substep", INTEGER),
        ("island", INTEGER),
        ("status", TEXT),
        ("method", TEXT),
        ("sweeps", INTEGER),
        ("bounce_sweeps", INTEGER),
        ("newton_steps", INTEGER),
        ("interior_steps", INTEGER),
        ("safe_blocks", INTEGER),
        ("residual", REAL),
        ("residual_scale", REAL),
        ("approach", REAL),
        ("cone", REAL),
        ("bounce_missing", REAL),
        ("energy_before", REAL),
        ("energy_after", REAL),
        ("bounce_work", REAL),
        ("contact_work", REAL),
        ("friction_work", REAL),
        ("bias_work", REAL),
        ("worst_contact", "INTEGER"),
        ("bounce_dropped", INTEGER),
        ("memory_too_small", INTEGER),
        ("guard", INTEGER),
    ],
    keys: "PRIMARY KEY (frame, substep, island), FOREIGN KEY (frame, substep) REFERENCES solves",
};

pub(super) const HISTORY: Table = Table {
    name: "history",
    columns: &[
        ("frame", INTEGER),
        ("substep", INTEGER),
        ("island", INTEGER),
        ("stop", INTEGER),
        ("sweeps", INTEGER),
        ("residual", REAL),
        ("approach", REAL),
        ("impulse_change", REAL),
    ],
    keys: "PRIMARY KEY (frame, substep, island, stop), FOREIGN KEY (frame, substep) REFERENCES solves",
};
