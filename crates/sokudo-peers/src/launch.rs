//! What a launcher has told this process by its environment.

use std::env;

/// Which MPI library the launcher is likely made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpiKind {
    OpenMpi,
    /// MPICH, and what has its ABI: Intel MPI, MVAPICH, Cray MPICH.
    Mpich,
}

/// How this process was started together with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub rank: u32,
    pub count: u32,
    pub kind: MpiKind,
    /// What started it, as messages call it.
    pub launcher: &'static str,
    /// Whether that launcher belongs to one kind of MPI.
    pub is_own_launcher: bool,
}

/// How this process was started together with others; `None` where it was not, or where the
/// launcher gives processes no way to find each other (`srun --mpi=none`).
pub fn launch() -> Option<Launch> {
    launch_of(&|name| env::var(name).ok())
}

/// Open MPI's parameter, as it reads it from the environment.
const YIELDS: &str = "OMPI_MCA_mpi_yield_when_idle";

/// Where UCX, by which MPI libraries send, writes what it has to say.
const SAYS_TO: &str = "UCX_LOG_FILE";

impl Launch {
    /// Tells the library what it must know before it is loaded. To be called while this process has
    /// one thread; what the user has set stays.
    ///
    /// Where processes share processors, Open MPI gives up the processor whenever it finds nothing to
    /// do. Linux since 6.6 (EEVDF) lets who does so wait behind all that compute: with 32 of these on a
    /// processor, a tenth of a second for each of the calls, hundreds of which are made in a second,
    /// until the others took the process for lost. Ours sleeps between its looks anyway.
    ///
    /// UCX warns on the standard output, in the middle of a result that a program is to read.
    pub fn prepare(&self) {
        // Without it, it is slower among many.
        let _ = sokudo_sys::set_variable(YIELDS, "0");
        // Without it, a warning may stand in the result.
        let _ = sokudo_sys::set_variable(SAYS_TO, "stderr");
    }
}

/// | launcher | its variables | source |
/// |---|---|---|
/// | `mpirun` of Open MPI 1.3 to 5 | `OMPI_COMM_WORLD_RANK`, `…_SIZE` | its documentation, "Environment variables set for MPI applications" |
/// | Hydra (`mpirun` of MPICH, Intel MPI, MVAPICH), `flux run`, PALS | `PMI_RANK`, `PMI_SIZE` | printed by MPICH 4.0.2 |
/// | `srun --mpi=pmi2` | the same, and `SLURM_STEP_NUM_TASKS` | Slurm, `src/plugins/mpi/pmi2/mpi_pmi2.c` |
/// | `srun --mpi=pmix` | `PMIX_RANK`; how many, only `SLURM_STEP_NUM_TASKS` | PMIx standard 4; srun(1) |
///
/// Slurm sets `SLURM_PROCID` and `SLURM_NTASKS` in a batch script, too, where nothing was launched.
fn launch_of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Launch> {
    let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
    let tasks = || number("SLURM_STEP_NUM_TASKS").or_else(|| number("SLURM_NTASKS"));
    let is_step = variable("SLURM_STEP_ID").is_some();
    let both = |rank: &str, count: &str| number(rank).zip(number(count));
    let (numbers, kind, launcher) = [
        (
            both("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            MpiKind::OpenMpi,
            "mpirun of Open MPI",
        ),
        (
            both("PMI_RANK", "PMI_SIZE"),
            MpiKind::Mpich,
            if is_step { "srun" } else { "mpirun of MPICH" },
        ),
        (
            number("PMIX_RANK").zip(tasks()),
            MpiKind::OpenMpi,
            if is_step { "srun" } else { "PMIx" },
        ),
    ]
    .into_iter()
    .find(|(numbers, ..)| numbers.is_some())?;
    let (rank, count) = numbers.filter(|(rank, count)| rank < count)?;
    Some(Launch {
        rank,
        count,
        kind,
        launcher,
        is_own_launcher: !["srun", "PMIx"].contains(&launcher),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<(u32, u32, MpiKind, &'static str)> {
        let found = launch_of(&|name| {
            let mut with_name = variables.iter().filter(|(it, _)| *it == name);
            with_name.next().map(|(_, value)| (*value).to_owned())
        })?;
        Some((found.rank, found.count, found.kind, found.launcher))
    }

    #[test]
    fn each_launcher_is_known_by_its_variables() {
        let open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("PMIX_RANK", "1"),
        ];
        let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "2")];
        let pmi2 = [
            ("PMI_RANK", "3"),
            ("PMI_SIZE", "8"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_STEP_NUM_TASKS", "8"),
        ];
        let pmix = [
            ("PMIX_RANK", "7"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_STEP_NUM_TASKS", "8"),
            ("SLURM_NTASKS", "16"),
        ];
        assert_eq!(
            of(&open_mpi),
            Some((1, 4, MpiKind::OpenMpi, "mpirun of Open MPI"))
        );
        assert_eq!(of(&hydra), Some((0, 2, MpiKind::Mpich, "mpirun of MPICH")));
        assert_eq!(of(&pmi2), Some((3, 8, MpiKind::Mpich, "srun")));
        assert_eq!(of(&pmix), Some((7, 8, MpiKind::OpenMpi, "srun")));
    }

    #[test]
    fn a_batch_script_and_a_step_without_mpi_are_not_launched() {
        let batch = [
            ("SLURM_JOB_ID", "1"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NTASKS", "8"),
        ];
        let step = [
            ("SLURM_STEP_ID", "0"),
            ("SLURM_PROCID", "3"),
            ("SLURM_STEP_NUM_TASKS", "8"),
        ];
        assert_eq!(of(&batch), None);
        assert_eq!(of(&step), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn nonsense_is_no_launch() {
        for (rank, count) in [("2", "2"), ("-1", "2"), ("x", "2"), ("0", "0"), ("0", "")] {
            assert_eq!(of(&[("PMI_RANK", rank), ("PMI_SIZE", count)]), None);
        }
    }
}
