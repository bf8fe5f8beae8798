//! A store on a server of PostgreSQL.

mod process;
#[path = "../../crates/sokudo-store/tests/rules.rs"]
mod rules;

use sokudo_store::{Filter, Postgres, Store, StoreError};

use rules::{ALL, run};

#[test]
fn a_store_on_a_server_holds_all_rules() {
    let Some(server) = process::Server::start() else {
        return;
    };
    let url = server.database("runs");
    rules::hold(&mut Postgres::open(&url).unwrap());

    // Many at once make the tables once, and nothing is lost.
    let url = server.database("many");
    let ids = std::thread::scope(|scope| {
        let keep = || {
            let mut store = Postgres::open(&url).unwrap();
            (0..20)
                .map(|_| store.keep(&run("a", 1)).unwrap().0)
                .collect()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(keep)).collect();
        let ids: Vec<Vec<u64>> = threads.into_iter().map(|it| it.join().unwrap()).collect();
        ids.concat()
    });
    let mut store = Postgres::open(&url).unwrap();
    let kept = store.list(&Filter::default(), ALL).unwrap();
    assert_eq!(kept.len(), 160);
    assert!(kept.iter().all(|entry| ids.contains(&entry.id.0)));

    // A newer version is refused by its number.
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client
        .batch_execute("UPDATE sokudo.version SET version = 99")
        .unwrap();
    match Postgres::open(&url).map(|_| ()) {
        Err(StoreError::Newer { found: 99, .. }) => {}
        other => panic!("{other:?}"),
    }
}
