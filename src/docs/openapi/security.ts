import { CONSOLE_HEADER, sessionCookie } from '../../console/index.ts';
import type { Operation } from '../../contract/shared/operation.ts';

type Requirement = Record<string, string[]>;

/** Every way in there is. A test asks each address by all of them: proof/attack/authorisation. */
export function securitySchemes(publicUrl: string): object {
  return {
    Bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        'The token of a taxpayer (`tsk_…`, scopes `sign`, `read`, `endpoints`), of a vendor (`tsv_…`, scopes `pay`, `read`, `endpoints`), of a biller (`tsb_…`, scope `figures`) or of an operator ' +
        '(`tsk_…`, scopes `viewer`, `operator`, `admin`). Also taken: base64 of `token:tenantId`.',
    },
    VendorBasic: {
      type: 'http',
      scheme: 'basic',
      description: "The vendor's code as user, its token as password.",
    },
    ConsoleSession: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie(publicUrl).name,
      description:
        'The session of a person who logged in to the console. Whom they act for, and their role there, decide.',
    },
    ConsoleHeader: {
      type: 'apiKey',
      in: 'header',
      name: CONSOLE_HEADER,
      description: 'Any value, from the same origin: shows that a change with a session comes from the console itself.',
    },
  };
}

/** Any one of these opens the operation. */
export function securityOf({ access, method }: Pick<Operation, 'access' | 'method'>): Requirement[] {
  const bearer: Requirement = { Bearer: [] };
  if (typeof access === 'object') return securityOf({ access: access.installation, method });
  switch (access) {
    case 'anybody':
      return [];
    case 'taxpayer that signs':
    case 'taxpayer that reads':
    case 'taxpayer':
      return [bearer];
    case 'vendor that pays':
    case 'vendor that reads':
    case 'vendor or biller that reads':
    case 'tenant that reads':
    case 'tenant that registers endpoints':
      return [bearer, { VendorBasic: [] }];
    case 'viewer':
    case 'any session':
    case 'proven session':
    case 'operator':
    case 'admin':
      return [bearer, method === 'GET' ? { ConsoleSession: [] } : { ConsoleSession: [], ConsoleHeader: [] }];
  }
}
