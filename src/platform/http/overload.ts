import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A process whose event loop lags this much answers everyone late; refusing some at once serves the rest in time. */
const LARGEST_DELAY_MS = 400;
const SAMPLE_MS = 500;

export interface OverloadMonitor {
  readonly isOverloaded: () => boolean;
  readonly stop: () => void;
}

/** Watches the event loop. Two samples in a row: a single pause, such as a garbage collection, is no overload. */
export function watchOverload(): OverloadMonitor {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let lateSamples = 0;
  const timer = setInterval(() => {
    lateSamples = delay.percentile(90) / 1e6 > LARGEST_DELAY_MS ? lateSamples + 1 : 0;
    delay.reset();
  }, SAMPLE_MS);
  timer.unref();
  return {
    isOverloaded: () => lateSamples >= 2,
    stop: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}
