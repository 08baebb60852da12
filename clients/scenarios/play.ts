/** Plays scenarios of the outbox (*.json beside this file): what Tillseal answers, what a till is told, what it says, and what is in its file. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { problem, type Request, type Scripted, type ScriptedService, sealed } from './scripted-service.ts';

export interface Scenario {
  readonly Name: string;
  /** Each answers one request, unless it is Always; what has no answer is sealed. */
  readonly Answers?: readonly Answer[];
  readonly Steps: readonly Step[];
}

/** 'seal', 'cut' and 'silence', or a page (`Text`), a problem (`Status` and `Code`) or else a seal with other fields. */
type Answer = 'seal' | 'cut' | 'silence' | Answered;
interface Answered {
  /** For requests of this reference, or for late ones only. */
  readonly For?: string;
  readonly Late?: boolean;
  readonly Always?: boolean;
  /** What happens before it is answered. */
  readonly Meanwhile?: readonly Step[];
  readonly Is?: 'cut';
  readonly Status?: number;
  readonly Text?: string;
  readonly Code?: string;
  readonly Then?: string;
  readonly Errors?: readonly object[];
  readonly Fields?: object;
  readonly Headers?: Readonly<Record<string, string>>;
}

type Step = Done | Expected;
/** A till is told to do something, and says what `Is`, or fails with these words. */
interface Done {
  readonly Do: 'open' | 'sell' | 'drain' | 'status' | 'find' | 'retry' | 'discard' | 'resume';
  /** `other` is a second program with the same file. */
  readonly Till?: 'till' | 'other';
  readonly Reference?: string;
  readonly Device?: number;
  /** Fields of the receipt. */
  readonly With?: object;
  readonly Seconds?: number;
  readonly Is?: unknown;
  readonly Fails?: string;
  /** The file has the same bytes afterwards. */
  readonly Keeps?: true;
}
/** What is done by nobody's till, and what must be so afterwards. */
interface Expected {
  readonly Do?: undefined;
  readonly Answers?: readonly Answer[];
  readonly Sql?: string;
  readonly Rows?: unknown;
  readonly File?: 'gone' | 'empty' | 'damaged' | 'scratched';
  /** References in the order of their requests, a star behind the late ones; only those that begin with `Of`. */
  readonly Asked?: readonly string[];
  readonly Of?: string;
  /** What the last request says of what waits. */
  readonly Backlog?: string;
  readonly Reports?: readonly string[];
  /** What the file itself still has, and what it has not. */
  readonly HasBytes?: string;
  readonly LacksBytes?: string;
}

/** What a scripted till answers; its reports are 'SetAside A-1'. */
export type Said = { readonly Result: unknown } | { readonly Error: string };
export interface Till {
  readonly reports: string[];
  do(command: object): Promise<Said>;
}

/** A slow machine must not decide what becomes of a sale. */
const FAR_SECONDS = 50;
const NAMES = ['selling', 'answers', 'draining', 'file'];

export const SCENARIOS = NAMES.flatMap(
  (name) => JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8')) as Scenario[],
);

export class Stage {
  readonly #file: string;
  readonly #service: ScriptedService;
  readonly #tills: { readonly till: Till; readonly other: Till };
  #answers: Answer[] = [];
  #isOpen = { till: false, other: false };

  constructor(file: string, service: ScriptedService, tills: { readonly till: Till; readonly other: Till }) {
    this.#file = file;
    this.#service = service;
    this.#tills = tills;
    service.requests.length = 0;
    service.answer = (request) => this.#answer(request);
    for (const till of Object.values(tills)) till.reports.length = 0;
  }

  async play({ Answers = [], Steps }: Scenario): Promise<void> {
    this.#answers = [...Answers];
    await this.#steps(Steps);
  }

  async #steps(steps: readonly Step[]): Promise<void> {
    for (const [index, step] of steps.entries())
      await this.#step(step).catch((error: unknown) => {
        if (error instanceof Error) error.message = `step ${index + 1}, ${JSON.stringify(step)}: ${error.message}`;
        throw error;
      });
  }

  async #step(step: Step): Promise<void> {
    if (step.Do !== undefined) return this.#do(step);
    if (step.Answers !== undefined) this.#answers = [...step.Answers];
    if (step.File !== undefined) this.#damage(step.File);
    if (step.Sql !== undefined) {
      const db = new DatabaseSync(this.#file, { timeout: 10_000 });
      const rows = db.prepare(step.Sql).all();
      db.close();
      if (step.Rows !== undefined) expect(rows.map((row) => Object.values(row))).toEqual(step.Rows);
    }
    if (step.HasBytes) expect(readFileSync(this.#file, 'latin1')).toContain(step.HasBytes);
    if (step.LacksBytes) expect(readFileSync(this.#file, 'latin1')).not.toContain(step.LacksBytes);
    const { requests } = this.#service;
    const asked = requests.map(({ reference, isLate }) => reference + (isLate ? '*' : ''));
    if (step.Asked) expect(asked.filter((one) => one.startsWith(step.Of ?? ''))).toEqual(step.Asked);
    if (step.Backlog) expect(requests.at(-1)?.backlog).toMatch(new RegExp(`^${step.Backlog}$`));
    if (step.Reports) {
      const { till, other } = this.#tills;
      await expect.poll(() => [...till.reports, ...other.reports]).toEqual(step.Reports);
    }
  }

  async #do({ Till: name = 'till', ...step }: Done): Promise<void> {
    if (step.Do !== 'open' && !this.#isOpen[name]) await this.#tell(name, { Do: 'open' });
    const [startedAt, before] = [performance.now(), step.Keeps && readFileSync(this.#file)];
    const said = await this.#tell(name, step);
    // Nobody waits for a deadline that is far away, nor for the 30 seconds that an attempt may take.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    if (before) expect(readFileSync(this.#file).equals(before)).toBe(true);
    if (step.Fails !== undefined) expect(said).toEqual({ Error: expect.stringMatching(step.Fails) });
    else if (step.Is === null) expect(said).toEqual({ Result: null });
    else if (step.Is !== undefined) expect(said).toMatchObject({ Result: step.Is });
    else expect(said).toHaveProperty('Result');
  }

  #tell(name: 'till' | 'other', { Do, Reference = '', Device = 1001, With, Seconds }: Done): Promise<Said> {
    if (Do === 'open') this.#isOpen[name] = true;
    const Receipt = Do === 'sell' ? { ...receiptOf(Reference, Device), ...With } : null;
    const more = { Outbox: this.#file, Seconds: Seconds ?? FAR_SECONDS, Receipt, Reference: Reference || null };
    return this.#tills[name].do({ Do, ...more });
  }

  #damage(what: NonNullable<Expected['File']>): void {
    if (what === 'gone') rmSync(this.#file);
    else if (what === 'scratched') writeFileSync(this.#file, readFileSync(this.#file).fill(0xff, 4096, 12_288));
    else writeFileSync(this.#file, what === 'empty' ? '' : 'milk'.repeat(5_000));
  }

  async #answer(request: Request): Promise<Scripted> {
    const place = this.#answers.findIndex(
      (one) =>
        typeof one === 'string' ||
        ((one.For ?? request.reference) === request.reference && (one.Late ?? request.isLate) === request.isLate),
    );
    const answer = this.#answers[place] ?? 'seal';
    if (place >= 0 && !(typeof answer === 'object' && answer.Always)) this.#answers.splice(place, 1);
    if (answer === 'seal') return sealed(request);
    if (typeof answer === 'string') return answer;
    if (answer.Meanwhile) await this.#steps(answer.Meanwhile);
    if (answer.Is) return answer.Is;
    const headers = answer.Headers ?? {};
    if (answer.Text !== undefined) return { status: answer.Status ?? 200, body: answer.Text, headers };
    const { body, status } = answer.Code ? problem(answer.Status ?? 400, answer.Code, answer.Errors) : sealed(request);
    return {
      status,
      body: { ...(body as object), ...(answer.Then && { Then: answer.Then }), ...answer.Fields },
      headers,
    };
  }
}

function receiptOf(Reference: string, AuthorityDeviceId: number): object {
  return {
    AuthorityDeviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference,
    Date: '2026-11-16T10:00:00Z',
    ReceiptLinesTaxInclusive: true,
    TotalAmount: 12.5,
    ReceiptLines: [{ Type: 'Sale', Name: 'Coffee', HsCode: '0901', Quantity: 1, LineTotal: 12.5, TaxPercent: 15.5 }],
    Payments: [{ Type: 'Cash', Amount: 12.5 }],
    Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 12.5, TaxAmount: 1.68 }],
  };
}
