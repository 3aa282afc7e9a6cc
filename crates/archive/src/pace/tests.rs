use super::*;

async fn submissions_in(settings: PaceSettings, time: Duration) -> usize {
    let pace = Pace::new(settings);
    pace.turn().await.unwrap();
    let end = Instant::now() + time;
    let mut submissions = 1;
    while pace.turn().await.is_ok() && Instant::now() <= end {
        submissions += 1;
    }
    submissions
}

#[tokio::test(start_paused = true)]
async fn no_more_than_12_are_submitted_in_a_minute_with_keys_and_4_without() {
    let minute = Duration::from_mins(1);
    assert_eq!(submissions_in(PaceSettings::authenticated(), minute).await, 12);
    assert_eq!(submissions_in(PaceSettings::anonymous(), minute).await, 4);
}

#[tokio::test(start_paused = true)]
async fn many_who_ask_at_the_same_time_get_their_turns_one_after_another() {
    let pace = Pace::new(PaceSettings::authenticated());
    let started = Instant::now();
    let turns = futures_util::future::join_all((0..40).map(|_| async {
        let turn = pace.turn().await;
        (turn, started.elapsed().as_millis())
    }))
    .await;
    let taken: Vec<u128> = turns.iter().filter(|(turn, _)| turn.is_ok()).map(|(_, at)| *at).collect();
    assert_eq!(
        taken,
        (1..=23).map(|number| 5_200 * number).collect::<Vec<u128>>(),
        "two minutes of patience"
    );
    let refused = turns.iter().filter(|(turn, at)| matches!(turn, Err(NoTurn::Later(_))) && *at == 0).count();
    assert_eq!(refused, 17);
}

#[tokio::test(start_paused = true)]
async fn a_rest_holds_everybody_up_and_grows() {
    let pace = Pace::new(PaceSettings::authenticated());
    let seconds = Duration::from_secs;
    let started = Instant::now();
    assert_eq!(pace.rest_as_asked(None), seconds(60));
    assert_eq!(pace.rest_after_trouble(), seconds(60), "one that was under way tells nothing new");
    assert_eq!(pace.turn().await, Ok(()));
    assert_eq!(started.elapsed(), seconds(60));
    assert_eq!((pace.rest_as_asked(None), pace.troubles()), (seconds(120), 2));
    tokio::time::advance(seconds(120)).await;
    assert_eq!(pace.rest_as_asked(Some(seconds(1000))), seconds(1000));
    assert!(pace.is_closed());
    assert_eq!(pace.turn().await, Err(NoTurn::Later(seconds(1000))));
    tokio::time::advance(seconds(1000)).await;
    pace.went_well();
    assert_eq!(pace.rest_after_trouble(), seconds(15));
    tokio::time::advance(seconds(15)).await;
    assert_eq!(pace.rest_as_asked(Some(seconds(1_000_000))), LONGEST_ASKED_REST);
}

#[tokio::test(start_paused = true)]
async fn a_rest_also_holds_for_those_who_wait_already() {
    let pace = Pace::new(PaceSettings::anonymous());
    let started = Instant::now();
    let (turn, ()) = tokio::join!(pace.turn(), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        pace.rest_as_asked(None);
    });
    assert_eq!((turn, started.elapsed()), (Ok(()), Duration::from_secs(61)));
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_every_wait() {
    let pace = Pace::new(PaceSettings::anonymous());
    let started = Instant::now();
    let (turn, ()) = tokio::join!(pace.turn(), async { pace.stop() });
    assert_eq!((turn, started.elapsed()), (Err(NoTurn::Stopped), Duration::ZERO));
    assert_eq!(pace.turn().await, Err(NoTurn::Stopped));
}
