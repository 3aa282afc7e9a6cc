use tokio::task::{JoinHandle, yield_now};

use super::*;

/// Lets a reservation grow in a task of its own.
async fn growing(mut reservation: Reservation, bytes: u64) -> JoinHandle<Reservation> {
    let task = tokio::spawn(async move {
        reservation.grow_to(bytes).await;
        reservation
    });
    yield_now().await;
    task
}

async fn holding(budget: &Arc<BodyBudget>, bytes: u64) -> Reservation {
    let mut reservation = budget.begin();
    assert_eq!(reservation.grow_to(bytes).await, Duration::ZERO);
    reservation
}

#[tokio::test(start_paused = true)]
async fn what_fits_is_had_at_once_and_the_rest_when_something_is_given_back() {
    let budget = BodyBudget::new(10);
    let first = holding(&budget, 6).await;
    let second = holding(&budget, 4).await;
    let third = growing(budget.begin(), 3).await;
    assert_eq!(budget.used_and_waiting(), (10, 1));
    drop(second);
    let third = third.await.unwrap();
    assert_eq!(budget.used_and_waiting(), (9, 0));
    drop((first, third));
    assert_eq!(budget.used_and_waiting(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_part_is_given_back_when_less_is_needed() {
    let budget = BodyBudget::new(10);
    let mut first = holding(&budget, 10).await;
    let second = growing(budget.begin(), 4).await;
    first.shrink_to(6);
    second.await.unwrap();
    first.shrink_to(8);
    assert_eq!(budget.used_and_waiting(), (6, 0));
}

#[tokio::test(start_paused = true)]
async fn small_ones_do_not_pass_a_large_one_that_began_before_them() {
    let budget = BodyBudget::new(10);
    let first = holding(&budget, 6).await;
    let large = growing(budget.begin(), 9).await;
    let small = growing(budget.begin(), 1).await;
    assert_eq!(budget.used_and_waiting(), (6, 2));
    drop(first);
    let large = large.await.unwrap();
    let small = small.await.unwrap();
    assert_eq!(budget.used_and_waiting(), (10, 0));
    drop((large, small));
}

#[tokio::test(start_paused = true)]
async fn who_began_earlier_passes_those_who_wait() {
    let budget = BodyBudget::new(10);
    let mut early = budget.begin();
    let first = holding(&budget, 5).await;
    let late = growing(budget.begin(), 9).await;
    assert_eq!(early.grow_to(5).await, Duration::ZERO);
    drop((early, first));
    late.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_alone_goes_beyond_the_limit() {
    let budget = BodyBudget::new(10);
    let mut only = budget.begin();
    for bytes in [5, 20, 100] {
        assert_eq!(only.grow_to(bytes).await, Duration::ZERO, "{bytes}");
    }
}

#[tokio::test(start_paused = true)]
async fn of_those_who_wait_for_each_other_the_oldest_goes_on() {
    let budget = BodyBudget::new(10);
    let (one, two, three) = (holding(&budget, 4).await, holding(&budget, 4).await, holding(&budget, 2).await);
    let (three, two) = (growing(three, 10).await, growing(two, 10).await);
    assert_eq!(budget.used_and_waiting(), (10, 2));
    let started = Instant::now();
    let one = growing(one, 10).await.await.unwrap();
    assert_eq!(budget.used_and_waiting(), (16, 2));
    drop(one);
    let two = two.await.unwrap();
    assert_eq!(budget.used_and_waiting(), (12, 1));
    drop(two);
    drop(three.await.unwrap());
    assert_eq!((budget.used_and_waiting(), started.elapsed()), ((0, 0), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn where_nothing_is_given_back_for_a_while_one_after_the_other_goes_on() {
    let budget = BodyBudget::new(10);
    let _stuck = holding(&budget, 10).await;
    let started = Instant::now();
    let (first, second) = (growing(budget.begin(), 5).await, growing(budget.begin(), 5).await);
    let _first = first.await.unwrap();
    assert_eq!(started.elapsed(), STALL);
    let _second = second.await.unwrap();
    assert_eq!(started.elapsed(), 2 * STALL);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_waiting_keeps_nobody_waiting() {
    let budget = BodyBudget::new(10);
    let _first = holding(&budget, 6).await;
    let large = growing(budget.begin(), 9).await;
    let small = growing(budget.begin(), 4).await;
    large.abort();
    let started = Instant::now();
    let _small = small.await.unwrap();
    assert_eq!((budget.used_and_waiting(), started.elapsed()), ((10, 0), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn what_never_waits_is_counted_all_the_same() {
    let budget = BodyBudget::new(10);
    let first = holding(&budget, 10).await;
    let other = growing(budget.begin(), 1).await;
    let mut nested = budget.begin_without_waiting();
    assert_eq!(nested.grow_to(5).await, Duration::ZERO);
    assert_eq!(budget.used_and_waiting(), (15, 1));
    drop((first, nested));
    other.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_request_whose_server_may_be_waiting_for_us() {
    let budget = BodyBudget::new(10);
    let mut unanswered = budget.begin();
    unanswered.ask(3).await;
    let started = Instant::now();
    let large = growing(budget.begin(), 50).await.await.unwrap();
    assert_eq!((budget.used_and_waiting(), started.elapsed()), ((53, 0), Duration::ZERO));
    unanswered.answered();
    let other = growing(budget.begin(), 50).await;
    assert_eq!(budget.used_and_waiting(), (53, 1), "what has its answer gives back by itself");
    drop((unanswered, large));
    other.await.unwrap();
    assert_eq!((budget.used_and_waiting(), started.elapsed()), ((0, 0), Duration::ZERO));
}
