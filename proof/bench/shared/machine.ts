import { cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryMb: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string;
  /** Of the minute before the start: anything else that runs makes the figures worse. */
  readonly loadBefore: number;
}

export const QUIET_LOAD = 0.5;
const LOAD_BEFORE = loadavg()[0] ?? 0;

export function machineFacts(postgres: string): Machine {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMb: Math.round(totalmem() / 1024 ** 2),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    postgres,
    loadBefore: LOAD_BEFORE,
  };
}

export function disturbance({ loadBefore }: Machine): string[] {
  if (loadBefore <= QUIET_LOAD) return [];
  return [`NOT A QUIET MACHINE: load ${loadBefore} before the start. Look at the ratios, not at the times.`];
}

/** Figures that vary by some percent do not need more than four digits. */
export function rounded<T>(results: T): T {
  const text = JSON.stringify(results, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value,
  );
  return JSON.parse(text) as T;
}
