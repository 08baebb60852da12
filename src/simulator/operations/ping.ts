import type { PingResponse } from '../../fdms/index.ts';
import type { Authority } from '../state/authority.ts';
import { type Answer, accepted } from '../wire/answer.ts';

export function ping(authority: Authority): Answer {
  const reportingFrequency = authority.switches().reportingFrequencyMinutes;
  return accepted({ reportingFrequency } satisfies Omit<PingResponse, 'operationID'>);
}
