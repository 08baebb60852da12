import { readInstant } from '../../kernel/instant.ts';
import { formatWall, instantOfWall, parseWall, wallOfInstant } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Database } from '../store/database.ts';
import { readSetting, writeSetting } from '../store/settings.ts';

/** The zone of all dates on the wire. */
const ZONE = 'Africa/Harare';
const OFFSET_SETTING = 'clock-offset-seconds';

/** The authority's own clock: the machine's, moved by what the control API asked for, also after a restart. */
export class AuthorityClock {
  readonly #db: Database;
  readonly #clock: Clock;
  #offsetSeconds: number;
  #standsAt: number | undefined;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#offsetSeconds = (readSetting(db, OFFSET_SETTING) as number | undefined) ?? 0;
  }

  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  get isStanding(): boolean {
    return this.#standsAt !== undefined;
  }

  /** Unix seconds. */
  instant(): number {
    return this.#standsAt ?? seconds(this.#clock()) + this.#offsetSeconds;
  }

  /** Wall-clock seconds in the authority's zone. */
  wall(): number {
    return this.wallOf(this.instant());
  }

  wallOf(instant: number): number {
    return wallOfInstant(ZONE, instant);
  }

  /** The moment a text names: local time of the authority, unless it says its zone. */
  instantOf(text: string): number | undefined {
    const wall = parseWall(text);
    if (wall !== undefined) return instantOfWall(ZONE, wall);
    const instant = readInstant(text);
    return instant && seconds(instant);
  }

  text(): string {
    return formatWall(this.wall());
  }

  setOffset(offsetSeconds: number): void {
    this.#offsetSeconds = offsetSeconds;
    writeSetting(this.#db, OFFSET_SETTING, offsetSeconds);
    this.#standsAt = undefined;
  }

  /** From now on it is this moment, and time runs on from there. */
  setInstant(instant: number): void {
    this.setOffset(instant - seconds(this.#clock()));
  }

  /** It is this moment until the clock is set again, or the simulator is started again. */
  standAt(instant: number): void {
    this.#standsAt = instant;
  }
}
