import type { AlertEvent } from '../../contract/platform/event.ts';
import { ALERT_ADVICE } from '../../contract/shared/alert-advice.ts';
import { ALERT_KINDS, type AlertKind } from '../../contract/shared/values.ts';
import { formatZoned } from '../../kernel/zone.ts';
import type { FeedEvent } from './batch.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

export interface MailPlace {
  readonly timeZone: string;
  readonly publicUrl: string;
  /** For the installation's own people, who can do something about it in the console. */
  readonly isForOperators: boolean;
}

/** A sale waits behind these. */
const URGENT: readonly string[] = ['DeviceStopped', 'ReportDue', 'CommitsWait'] satisfies AlertKind[];
const MAX_SUBJECT = 150;

/** One message about all of them, in plain text. Names and messages come from outside: none of them makes a line or a header of its own. */
export function mailText(events: readonly Pick<FeedEvent, 'type' | 'data'>[], place: MailPlace): MailText {
  const [first] = events;
  if (first?.type === 'endpoint.test') return testText(place);
  const news = events.map((event) => ({ ...event, data: JSON.parse(event.data) }) as unknown as AlertEvent);
  const [matter = news[0]] = news.toSorted((one, other) => rank(one) - rank(other));
  const more = news.length > 1 ? ` (and ${news.length - 1} more)` : '';
  const subject = matter === undefined ? '' : headline(matter).slice(0, MAX_SUBJECT);
  return {
    subject: `Tillseal: ${subject}${more}`,
    text: [...news.map((one) => paragraph(one, place)), footer(place)].join('\n\n'),
  };
}

function rank({ type, data }: AlertEvent): number {
  if (type === 'alert.solved') return 2;
  return URGENT.includes(data.Kind) ? 0 : 1;
}

/** `Solved: Device stopped, device 1001, Test shop`. */
function headline({ type, data }: AlertEvent): string {
  const words = data.Kind.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const device = data.AuthorityDeviceId === null ? [] : [`device ${data.AuthorityDeviceId}`];
  const parts = [words, ...device, ...(data.TenantName === null ? [] : [data.TenantName])];
  return oneLine(`${type === 'alert.solved' ? 'Solved: ' : ''}${parts.join(', ')}`);
}

function paragraph(event: AlertEvent, { timeZone, isForOperators }: MailPlace): string {
  const { type, data } = event;
  const at = (moment: string) => formatZoned(timeZone, Math.floor(Date.parse(moment) / 1000)).replace('T', ' ');
  const kind = ALERT_KINDS.find((one) => one === data.Kind);
  const lines = [headline(event), oneLine(data.Message), `Since: ${at(data.RaisedAt)}`];
  if (type === 'alert.solved') lines.push(`Over: ${at(data.SolvedAt)}`);
  else if (isForOperators && kind !== undefined) lines.push(`What to do: ${ALERT_ADVICE[kind]}`);
  return lines.join('\n');
}

function footer({ publicUrl, isForOperators }: MailPlace): string {
  const where = isForOperators ? `See ${publicUrl}/console/alerts. ` : '';
  return `-- \n${where}Sent by Tillseal at ${publicUrl}, because an operator has put this address on its list. Answers are not read; ask the operator to change or end this.`;
}

function testText(place: MailPlace): MailText {
  return { subject: 'Tillseal: test message', text: `Messages about alerts arrive here.\n\n${footer(place)}` };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
}
