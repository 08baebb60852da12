import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { Clock } from '../clock.ts';
import type { Audited } from '../database/audit.ts';
import type { Guard } from './route.ts';

/** What the operators' routes of every noun are given. */
export interface Administration {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly audited: Audited;
  /** Whether somebody of the installation asks, and not one of a tenant's people. */
  readonly isOperator: (request: FastifyRequest) => boolean;
  /** Of the person or token that asks. */
  readonly nameOf: (request: FastifyRequest) => string;
}
