//! Errors as people see them: with the place in the scene, where there is one.

use std::io::IsTerminal;
use std::sync::Arc;

use gordian::mesh::io::MeshError;
use gordian::sim::{CheckpointError, SceneError, SimError};
use miette::{Diagnostic, LabeledSpan, NamedSource, Report, SourceCode};

/// Sets how errors are printed: no line is broken where nobody looks at it.
pub fn install() {
    let terminal = std::io::stderr().is_terminal();
    // It fails only where a handler is set already, which then does as well.
    let _ = miette::set_hook(Box::new(move |_| {
        let options = miette::MietteHandlerOpts::new().context_lines(1);
        Box::new(if terminal { options.build() } else { options.width(10_000).build() })
    }));
}

/// A fault in a scene, with its text.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Fault {
    message: String,
    hint: Option<String>,
    scene: Option<NamedSource<Arc<str>>>,
    labels: Vec<LabeledSpan>,
}

impl Diagnostic for Fault {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.scene.as_ref().map(|scene| scene as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

/// A fault in a scene.
pub fn scene(error: SceneError) -> Report {
    let key = if error.key.is_empty() { String::new() } else { format!("{}: ", error.key) };
    let mut fault = Fault {
        message: format!("{key}{}", error.message),
        hint: error.hint,
        scene: None,
        labels: Vec::new(),
    };
    match error.place {
        Some(place) => {
            fault.labels.push(LabeledSpan::underline(place.span));
            fault.scene = Some(NamedSource::new(error.file, place.text).with_language("TOML"));
        }
        None => fault.message = format!("{}: {}", error.file, fault.message),
    }
    Report::new(fault)
}

/// Whatever ended a simulation.
pub fn sim(error: SimError) -> Report {
    match error {
        SimError::Scene(error) => scene(error),
        other => plain(other),
    }
}

/// A mesh that cannot be read or written.
pub fn mesh(error: MeshError) -> Report {
    plain(error)
}

/// A checkpoint that cannot be taken up.
pub fn checkpoint(error: CheckpointError) -> Report {
    plain(error)
}

fn plain(error: impl std::fmt::Display) -> Report {
    Report::msg(error.to_string())
}
