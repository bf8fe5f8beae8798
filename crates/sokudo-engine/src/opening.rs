//! Opens what one thread works on: its files, and the backend over them.

use std::os::fd::OwnedFd;

use sokudo_model::{BackendKind, BackendUse, DirectMode, Workload};
use sokudo_sys::Namespace;

use crate::backend::{AnyBackend, BackendRequirements, OpenError, open, open_commands};
use crate::passthrough::check_transfer;
use crate::polling::check_polled;
use crate::stage_error::StageError;
use crate::survey::SurveyTarget;
use crate::target::{Target, TargetError, logical_bytes};
use crate::target_use::{stretch_of, uses, writes};
use crate::write_back::{WriteBack, WriteBackFile};

/// The files of a thread.
pub(crate) enum ThreadFiles {
    /// None for null targets.
    Any(Vec<OwnedFd>),
    /// Drives that take commands.
    Namespaces(Vec<Namespace>),
    /// Nothing may be written but what was read; `None` for null targets.
    WriteBack(Option<WriteBackFile>),
}

/// The backend over them.
pub(crate) enum ThreadBackend {
    Any(AnyBackend),
    WriteBack(WriteBack<AnyBackend>),
}

/// Opens every file of a workload, and says whether all bypass the page cache.
pub(crate) fn open_files(
    workload: &Workload,
    targets: &[Target],
) -> Result<(ThreadFiles, bool), StageError> {
    let files = uses(workload);
    let files = files
        .iter()
        .filter_map(|file_use| match targets.get(file_use.target as usize) {
            Some(Target::File(file)) => Some(file),
            _ => None,
        });
    let mut direct = workload.direct;
    if workload.issuing.polled {
        files.clone().try_for_each(check_polled)?;
        direct = DirectMode::On;
    }
    if workload.backend == BackendKind::IoUringCmd {
        let mut namespaces = Vec::new();
        for file in files {
            namespaces.push(file.namespace(writes(workload))?);
            check_transfer(workload, file)?;
        }
        let direct = !namespaces.is_empty();
        return Ok((ThreadFiles::Namespaces(namespaces), direct));
    }
    if workload.survey().is_some_and(|survey| survey.write_back) {
        // A survey has one target.
        let mut opened = files.map(|file| file.open_to_write_back(direct));
        let (file, direct) = opened.next().transpose()?.unzip();
        return Ok((ThreadFiles::WriteBack(file), direct.unwrap_or(false)));
    }
    let mut opened = Vec::new();
    let mut all_direct = true;
    for file in files {
        let (file, is_direct) = file.open(writes(workload), direct)?;
        all_direct &= is_direct;
        opened.push(file.into());
    }
    let direct = all_direct && !opened.is_empty();
    Ok((ThreadFiles::Any(opened), direct))
}

impl ThreadFiles {
    /// Opens the backend that is wanted over them.
    pub(crate) fn backend(
        self,
        wanted: BackendRequirements,
    ) -> Result<(ThreadBackend, BackendUse), OpenError> {
        let (backend, used) = match self {
            Self::Any(files) => {
                let (backend, used) = open(wanted, files)?;
                return Ok((ThreadBackend::Any(backend), used));
            }
            Self::Namespaces(namespaces) => {
                let (backend, used) = open_commands(wanted, namespaces)?;
                return Ok((ThreadBackend::Any(backend), used));
            }
            Self::WriteBack(Some(file)) => file.backend(wanted)?,
            Self::WriteBack(None) => WriteBack::null(wanted)?,
        };
        Ok((ThreadBackend::WriteBack(backend), used))
    }
}

/// What a survey has to know of its target, if the workload is one.
pub(crate) fn survey_target(
    workload: &Workload,
    targets: &[Target],
    direct: bool,
) -> Result<Option<SurveyTarget>, StageError> {
    let uses = uses(workload);
    let used = uses.first().and_then(|first| {
        let target = targets.get(first.target as usize)?;
        workload.survey().is_some().then_some((first, target))
    });
    let Some((first, target)) = used else {
        return Ok(None);
    };
    let name = match target {
        Target::File(file) => file.path().display().to_string(),
        Target::Null(_) | Target::Simulated(_) => String::new(),
    };
    let handle = match target {
        Target::File(file) => {
            let opened = TargetError::not_opened(file.path());
            Some(file.handle().try_clone().map_err(opened)?)
        }
        _ => None,
    };
    Ok(Some(SurveyTarget {
        stretch: stretch_of(first, target.size()),
        logical_bytes: logical_bytes(target, direct),
        handle,
        name,
        is_real: true,
    }))
}
