//! Cancelling a running task from another thread.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Cancels a running task whose outcome is not needed. Clones share one state.
#[derive(Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// Set from outside, for all tasks.
    outer: Option<Arc<AtomicBool>>,
    hooks: Arc<Mutex<Hooks>>,
}

#[derive(Default)]
struct Hooks {
    next: u64,
    all: BTreeMap<u64, Box<dyn Fn() + Send>>,
}

impl Cancel {
    /// A cancellation that also takes effect when something else sets `outer`. Hooks run only for [`Cancel::cancel`].
    pub fn within(outer: Option<Arc<AtomicBool>>) -> Cancel {
        Cancel { outer, ..Cancel::default() }
    }

    /// Cancels the task.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.hooks().all.values().for_each(|hook| hook());
    }

    /// Returns true once the task is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flags().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// The flags of which any cancels the task, for code that polls them.
    pub fn flags(&self) -> impl Iterator<Item = &Arc<AtomicBool>> {
        std::iter::once(&self.flag).chain(&self.outer)
    }

    /// Calls `hook` when the task is cancelled, at once if it is cancelled already, until the returned guard is dropped.
    #[must_use = "the hook is removed when the guard is dropped"]
    pub fn on_cancel(&self, hook: impl Fn() + Send + 'static) -> Hook {
        let mut hooks = self.hooks();
        if self.is_cancelled() {
            hook();
        }
        hooks.next += 1;
        let key = hooks.next;
        hooks.all.insert(key, Box::new(hook));
        Hook { key, hooks: Arc::clone(&self.hooks) }
    }

    fn hooks(&self) -> MutexGuard<'_, Hooks> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

/// Keeps a hook of [`Cancel::on_cancel`] in place.
pub struct Hook {
    key: u64,
    hooks: Arc<Mutex<Hooks>>,
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner).all.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn hooks_run_on_cancellation_and_not_after_their_guard_is_dropped() {
        let cancel = Cancel::default();
        let calls = Arc::new(AtomicU32::new(0));
        let count = || {
            let calls = Arc::clone(&calls);
            move || {
                calls.fetch_add(1, Ordering::Relaxed);
            }
        };
        drop(cancel.on_cancel(count()));
        let _kept = cancel.on_cancel(count());
        assert!(!cancel.is_cancelled());
        cancel.clone().cancel();
        assert!(cancel.is_cancelled());
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        let _late = cancel.on_cancel(count());
        assert_eq!(calls.load(Ordering::Relaxed), 2, "the task is cancelled already");
    }

    #[test]
    fn a_flag_of_all_tasks_cancels_each() {
        let outer = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::within(Some(Arc::clone(&outer)));
        assert!(!cancel.is_cancelled());
        outer.store(true, Ordering::Relaxed);
        assert!(cancel.is_cancelled() && !Cancel::default().is_cancelled());
    }
}
