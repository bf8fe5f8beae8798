//! A store of a test's own.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::process::Command;

use serde_json::Value;

use crate::sokudo::{Ended, directory_in_memory, end, program, split};

/// A store of its own.
pub(crate) struct Store {
    pub(crate) directory: tempfile::TempDir,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self {
            directory: directory_in_memory(),
        }
    }

    pub(crate) fn file(&self) -> std::path::PathBuf {
        self.directory.path().join("runs.db")
    }

    /// A file of this kind in the store's folder.
    pub(crate) fn beside(&self, kind: &str) -> std::path::PathBuf {
        self.directory.path().join(format!("report.{kind}"))
    }

    /// sokudo with this store.
    pub(crate) fn program(&self) -> Command {
        let mut command = program();
        command.env("SOKUDO_STORE", self.file());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ended {
        end(self.program().args(split(arguments)))
    }

    /// It ends with this code and one line that holds these words.
    pub(crate) fn refuses(&self, arguments: &str, code: i32, words: &[&str]) {
        self.run(arguments).refused(code, words);
    }

    /// It succeeds: what it prints.
    pub(crate) fn ok(&self, arguments: &str) -> String {
        self.run(arguments).ok().printed
    }

    /// Measures random reads of a target.
    pub(crate) fn mark(&self, target: &str) {
        self.ok(&format!(
            "mark {target} --row RND4K,Q1,read --time 50ms --runs 12 -q"
        ));
    }

    pub(crate) fn list(&self, arguments: &str) -> Vec<Value> {
        let all = format!("list --format json {arguments}");
        let document: Value = serde_json::from_str(&self.ok(&all)).unwrap();
        assert_eq!(document["schema"], "sokudo.list/1");
        document["runs"].as_array().unwrap().clone()
    }

    pub(crate) fn ids(&self, arguments: &str) -> Vec<u64> {
        let runs = self.list(arguments);
        runs.iter().map(|run| run["id"].as_u64().unwrap()).collect()
    }
}
