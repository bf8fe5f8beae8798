//! The page measures what the command line measures: the same documents, figures, findings.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::loop_device::LoopDevice;
use crate::page_client::PageClient;
use crate::run_json::view;
use crate::sokudo::{directory_on_disk, end, has, is_root, program, skip, sokudo, split};

/// A page over a store of its own.
struct Site {
    store: PathBuf,
    page: PageClient,
    _directory: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        Self::started_with(|_| ())
    }

    /// With more words behind `page`.
    fn started_with(more: impl FnOnce(&mut Command)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = directory.path().join("runs.db");
        let mut command = program();
        command
            .arg("page")
            .env("SOKUDO_STORE", &store)
            .env("XDG_DATA_HOME", directory.path());
        more(&mut command);
        Self {
            store,
            page: PageClient::start(&mut command),
            _directory: directory,
        }
    }

    /// The document of a kept run, as the command line prints it.
    fn document(&self, number: &Value) -> Value {
        let mut command = program();
        command.env("SOKUDO_STORE", &self.store);
        command.args(["show", &number.to_string(), "--format", "json"]);
        end(&mut command).json()
    }

    /// Measures through the page: what it shows in the end, and the document that is kept.
    fn measured(&self, wish: &Value) -> (Value, Value) {
        let run = self.page.measure(wish);
        assert_eq!(run["state"], "ended", "{run}");
        let document = self.document(&run["kept"]);
        let number = &run["kept"];
        let given = self.page.get_json(&format!("/api/runs/{number}/as/json"));
        assert_eq!(given, document, "the page gives what the store has");
        let replayed = self.page.get_json(&format!("/api/runs/{number}/view"));
        for part in ["tables", "facts", "legend", "findings", "answer"] {
            assert_eq!(
                replayed[part], run[part],
                "{part} of run {number} are as they were"
            );
        }
        (run, document)
    }
}

/// The same command line at a shell.
fn by_command_line(run: &Value) -> Value {
    let words = split(run["command"].as_str().unwrap());
    let mut command = program();
    command
        .args(&words[1..])
        .args(["--format", "json", "--quiet"]);
    end(&mut command).json()
}

/// What of a document is the same whenever and under whatever number it was measured.
fn lasting(mut document: Value) -> Value {
    for part in [
        "id",
        "run",
        "started_at",
        "command",
        "environment",
        "label",
        "previous",
    ] {
        document.as_object_mut().unwrap().remove(part);
    }
    document
}

/// Every leaf of a document by what kind of thing it is, and words as they are: all but figures.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(parts) => parts
            .iter()
            .map(|(key, it)| (key.clone(), shape(it)))
            .collect(),
        Value::Array(parts) => parts.iter().map(shape).collect(),
        Value::Number(_) => json!("a number"),
        other => other.clone(),
    }
}

/// What was to be measured, and of what: the same for a real target, whose figures differ.
fn plan_of(document: &Value) -> Value {
    let results = document["figures"].as_array().unwrap();
    let rows = results.iter().map(|row| {
        json!([
            row["name"],
            row["direction"],
            row["workload"],
            row["trials"].as_array().unwrap().len()
        ])
    });
    json!({
        "method": document["method"],
        "schedule": document["schedule"],
        "target": shape(&document["target"]["name"]),
        "kind": document["target"]["kind"],
        "rows": rows.collect::<Vec<Value>>(),
        "parts": document.as_object().unwrap().keys().collect::<Vec<_>>(),
    })
}

#[test]
fn simulated_disks_give_the_figures_verdicts_and_findings_of_the_command_line() {
    let site = Site::new();
    let models = [
        "const",
        "hdd",
        "smr",
        "ssd",
        "dramless",
        "raid5",
        "fake-capacity",
    ];
    for target in models.map(|model| format!("sim:{model}")) {
        let wish = json!({ "method": "mark", "target": target, "options": { "runs": 2 } });
        let (run, document) = site.measured(&wish);
        assert_eq!(
            lasting(document),
            lasting(by_command_line(&run)),
            "{target}"
        );
    }
    let scan = json!({ "method": "scan", "target": "sim:hdd?size=100GB" });
    let (run, document) = site.measured(&scan);
    assert_eq!(lasting(document), lasting(by_command_line(&run)));
}

#[test]
fn a_directory_is_measured_as_at_the_command_line() {
    let site = Site::new();
    let directory = directory_on_disk();
    // As root, the page measures only where its user may write.
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    same_plan(&site, directory.path());
    let left = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, 0, "nothing is left behind");
}

#[test]
fn what_a_load_comes_to_stands_above_its_table() {
    let site = Site::new();
    let options = json!({ "time": "100ms", "runs": 1 });
    let wish = json!({ "method": "load", "target": "sim:const", "options": options });
    let (run, _) = site.measured(&wish);
    let facts = run["facts"].as_array().unwrap();
    let labels: Vec<&str> = facts
        .iter()
        .map(|it| it["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["maximum", "knee"]);
    let rows = run["tables"][0]["rows"].as_array().unwrap();
    let most = rows.iter().filter(|cells| cells[0]["text"] == "maximum");
    assert_eq!(most.count(), 1);
}

#[test]
fn a_loop_device_is_measured_as_at_the_command_line() {
    let Some(device) = LoopDevice::new(64 << 20, true) else {
        return;
    };
    same_plan(&Site::new(), &device.path);
}

/// Measures through the page and at the command line: the plans are the same, and the page
/// shows what is in its document.
fn same_plan(site: &Site, target: &Path) {
    let options = json!({ "size": "16MiB", "time": "50ms", "runs": 2 });
    let wish = json!({ "method": "mark", "target": target, "options": options });
    let (run, document) = site.measured(&wish);
    assert_eq!(plan_of(&document), plan_of(&by_command_line(&run)));
}

#[test]
fn null_is_measured_as_at_the_command_line() {
    same_plan(&Site::new(), Path::new("null:"));
}

#[test]
fn only_disks_that_one_word_names_may_be_destroyed() {
    for word in ["nobody's", "/dev/vda", "loop0"] {
        let refused = sokudo(&format!("page --allow-destroy {word}"));
        refused.refused(2, &["is no serial number of a disk", "sokudo info"]);
    }
    let site = Site::new();
    let wish = json!({ "method": "mark", "target": "/dev/loop0", "serial": "S5H9NS0N" });
    let why = site.page.begin(&wish).unwrap_err();
    assert!(why.contains("was not started with it"), "{why}");
}

/// A wish of one short row.
fn one_row(target: &Path) -> Value {
    let options = json!({ "size": "16MiB", "time": "50ms", "runs": 1, "row": ["RND4K,Q1,read"] });
    json!({ "method": "mark", "target": target, "options": options })
}

#[test]
fn what_is_exchanged_for_a_link_while_it_waits_is_not_measured() {
    if skips_without_root() {
        return;
    }
    let site = Site::new();
    let directory = directory_on_disk();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let at = |name: &str| directory.path().join(name);
    for (name, mode) in [("everybody's", 0o777), ("root's", 0o700)] {
        fs::create_dir(at(name)).unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    std::os::unix::fs::symlink("everybody's", at("link")).unwrap();
    // A pipe is no target, and nobody waits for its other end.
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o666),
        0,
    )
    .unwrap();
    for refused in ["root's", "pipe"] {
        let why = site.page.begin(&one_row(&at(refused))).unwrap_err();
        assert!(why.contains("you may not read it"), "{why}");
    }
    // It takes long enough in real time for what is exchanged meanwhile.
    let options = json!({ "time": "10s", "runs": 1, "row": ["RND4K,Q1,read"] });
    let first = json!({ "method": "mark", "target": "null:", "options": options });
    site.page.begin(&first).unwrap();
    let by_link = site.page.begin(&one_row(&at("link"))).unwrap();
    fs::remove_file(at("link")).unwrap();
    std::os::unix::fs::symlink("root's", at("link")).unwrap();
    let run = site.page.end_of(by_link);
    let command = run["command"].as_str().unwrap();
    assert!(command.ends_with("/everybody'\\''s'"), "{command}");
    site.page.begin(&first).unwrap();
    let directly = site.page.begin(&one_row(&at("everybody's"))).unwrap();
    fs::rename(at("everybody's"), at("away")).unwrap();
    std::os::unix::fs::symlink("root's", at("everybody's")).unwrap();
    let run = site.page.end_of(directly);
    assert_eq!(run["state"], "failed", "{run}");
    let why = run["message"].as_str().unwrap();
    assert!(why.contains("has changed since"), "{why}");
}

#[test]
fn what_speaks_http_has_none_of_the_terminal_and_of_the_environment() {
    let site = Site::new();
    let processes = site.page.processes();
    let [page, web] = [processes[0], processes[1]].map(|process| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap();
        // 0 in a container that its session's leader is not in.
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        let (_, behind_name) = stat.rsplit_once(')').unwrap();
        let session = behind_name.split_ascii_whitespace().nth(3).unwrap();
        (
            status,
            String::from_utf8(environment).unwrap(),
            session.to_owned(),
        )
    });
    assert!(page.1.contains("SOKUDO_STORE="), "{}", page.1);
    let names = web
        .1
        .split_terminator('\0')
        .map(|line| line.split_once('=').unwrap().0);
    let others: Vec<&str> = names
        .filter(|name| !["HOME", "RUST_BACKTRACE"].contains(name))
        .collect();
    assert!(others.is_empty(), "{others:?}");
    assert_ne!(page.2, web.2, "another session has another terminal");
    assert!(web.0.contains("NoNewPrivs:\t1"), "{}", web.0);
    assert!(web.0.contains("CapEff:\t0000000000000000"), "{}", web.0);
}

#[test]
fn a_job_that_was_dropped_can_be_repeated() {
    if rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: the page of root runs no job files");
        return;
    }
    let site = Site::new();
    let job = "[reads]\nioengine=null\nrw=randread\nbs=4k\nsize=1m\n";
    let run = site.page.measure(&json!({ "method": "job", "job": job }));
    assert_eq!(run["state"], "ended", "{run}");
    let again = by_command_line(&run);
    let kept = site.document(&run["kept"]);
    assert_eq!(again["figures"].as_array().unwrap().len(), 1);
    assert_eq!(
        again["figures"][0]["workload"],
        kept["figures"][0]["workload"]
    );
}

#[test]
fn prometheus_reads_what_the_run_is_doing() {
    let site = Site::new();
    assert!(!site.page.metrics().contains("sokudo_live_"));
    let wish = json!({ "method": "steady", "target": "sim:ssd" });
    let number = site.page.begin(&wish).unwrap();
    site.page
        .wait_for(|run| run["now"]["mb_per_second"].is_number());
    let told = site.page.metrics();
    let subject = format!("run=\"{number}\",method=\"steady/iops\",target=\"sim:ssd\"");
    for (name, more) in [
        ("state", ",state=\"running\"} 1\n"),
        ("state", ",state=\"ended\"} 0\n"),
        ("done_ratio", "} 0."),
        ("moved_bytes", "} "),
    ] {
        let wanted = format!("sokudo_live_{name}{{{subject}{more}");
        assert!(told.contains(&wanted), "{wanted} in {told}");
    }
    // Between two trials there is none.
    let rate = format!("sokudo_live_bytes_per_second{{{subject}}} ");
    let seen = (0..600).any(|_| {
        thread::sleep(Duration::from_millis(100));
        site.page.metrics().contains(&rate)
    });
    assert!(seen, "no rate is told within a minute");
}

#[test]
fn a_run_that_was_killed_says_by_what() {
    let site = Site::new();
    let number = site
        .page
        .begin(&json!({ "method": "steady", "target": "sim:ssd" }))
        .unwrap();
    let processes = site.page.processes();
    let child = i32::try_from(*processes.last().unwrap()).unwrap();
    assert_eq!(processes.len(), 3, "the page, what speaks HTTP, the run");
    let child = rustix::process::Pid::from_raw(child).unwrap();
    rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
    let run = site.page.end_of(number);
    assert_eq!(run["state"], "failed", "{run}");
    let why = run["message"].as_str().unwrap();
    assert!(why.contains("signal 9"), "{why}");
}

fn skips_without_root() -> bool {
    let skips = !rustix::process::geteuid().is_root();
    if skips {
        eprintln!("SKIPPED: only the page of root has more rights than who looks at it");
    }
    skips
}

#[test]
fn what_opens_the_page_stands_in_no_command_line_and_in_no_environment() {
    let site = Site::new();
    site.page
        .measure(&json!({ "method": "mark", "target": "sim:const", "options": { "runs": 1 } }));
    let mut seen = 0;
    for process in site.page.processes() {
        for file in ["cmdline", "environ"] {
            let told = fs::read(format!("/proc/{process}/{file}")).unwrap();
            let told = String::from_utf8_lossy(&told);
            for secret in site.page.secrets() {
                assert!(!told.contains(secret), "{file} of {process}: {told}");
            }
            seen += usize::from(!told.is_empty());
        }
    }
    assert!(seen >= 4, "the page is two processes");
    let store = fs::read(&site.store).unwrap();
    for secret in site.page.secrets() {
        let is_kept = store
            .windows(secret.len())
            .any(|it| it == secret.as_bytes());
        assert!(!is_kept, "it is on the disk");
    }
}

/// A launcher that the page was started with: its hosts fill the table while they measure, and the
/// kept run shows them, too.
#[test]
fn hosts_that_measure_together_are_watched() {
    let Some(launcher) = ["mpirun.openmpi", "mpirun.mpich"]
        .into_iter()
        .find(|it| has(it))
    else {
        return skip("no launcher is installed (openmpi-bin, mpich)");
    };
    let own = match (launcher.ends_with("openmpi"), is_root()) {
        (true, true) => "--oversubscribe --allow-run-as-root",
        (true, false) => "--oversubscribe",
        (false, _) => "",
    };
    let script = "SOKUDO_HOST=n0${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec \"$@\"";
    let row = "--row RND4K,Q4,read --row RND4K,Q8,read --runs 2 --pause 3s";
    let directory = directory_on_disk();
    let target = directory.path().to_str().unwrap();
    let site = Site::started_with(|command| {
        command.args(["--", launcher]).args(split(own));
        command.args(["-n", "3", "sh", "-c", script, "sh"]);
        command.args([crate::sokudo::path(), "together", "--results-here"]);
        command.args(["--", "mark", target, "--size", "16MiB", "--time", "300ms"]);
        command.args(split(row));
    });
    let is_of_hosts = |run: &Value| {
        let tables = run["tables"].as_array().cloned().unwrap_or_default();
        let title = |it: &Value| it["title"].as_str().unwrap_or_default().to_owned();
        let of_hosts = tables
            .into_iter()
            .find(|it| title(it).starts_with("Hosts, "));
        of_hosts.is_some_and(|it| it["rows"].as_array().unwrap().len() == 3)
    };
    let live = site.page.wait_for(is_of_hosts);
    assert_eq!(live["state"], "running", "{live}");
    assert_eq!(live["hosts"], 3, "{live}");
    let command = live["command"].as_str().unwrap();
    assert!(command.starts_with(launcher), "{command}");
    let run = site.page.end_of(1);
    assert_eq!(run["state"], "ended", "{run}");
    assert!(is_of_hosts(&run), "{run}");
    let number = &run["kept"];
    let document = site.document(number);
    assert_eq!(document["schema"], "sokudo.run/1");
    assert_eq!(
        view(&document, "together")["hosts"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let replayed = site.page.get_json(&format!("/api/runs/{number}/view"));
    for part in ["tables", "hosts", "findings", "answer"] {
        assert_eq!(replayed[part], run[part], "{part}");
    }
    for kind in ["hosts", "host-bars"] {
        let path = format!("/api/runs/{number}/picture?kind={kind}&theme=light&as=svg");
        let picture = String::from_utf8(site.page.get(&path)).unwrap();
        assert!(picture.contains("n02"), "{kind}: {picture}");
    }
}

#[test]
fn a_page_starts_no_other_command_than_one_of_several_processes() {
    let ended = sokudo("page -- sokudo mark sim:ssd");
    ended.refused(2, &["does not start sokudo together", "mpirun -n 8"]);
}
