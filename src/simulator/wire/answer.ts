/** What an operation answers: a body, or a problem (RFC 7807) with one of the protocol's codes (specification §8.2). */
import type { FdmsProblem } from '../../fdms/index.ts';
import type { Faults } from './fields.ts';

export type Answer =
  | { readonly status: 200; readonly body: object }
  | { readonly status: number; readonly problem: FdmsProblem };

const CODE_TEXTS = {
  DEV01: 'Device not found or not active',
  DEV02: 'Activation key is incorrect',
  DEV03: 'Certificate request is invalid',
  DEV04: 'Device model is blacklisted',
  DEV05: 'Taxpayer is not active',
  DEV06: 'Device model and version are not registered',
  RCPT01: 'Receipt cannot be submitted: fiscal day is closed or is being closed',
  RCPT02: 'Receipt structure is invalid or field limits are broken',
  FISC01: 'Opening of a fiscal day is not possible while current fiscal day is not closed',
  FISC03: 'Closing of the fiscal day is already in progress',
  FISC04: 'Fiscal day is not open',
} as const;
export type ErrorCode = keyof typeof CODE_TEXTS;

const TITLES: Readonly<Record<number, string>> = {
  400: 'One or more validation errors occurred.',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Server error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

export function accepted(body: object): Answer {
  return { status: 200, body };
}

export function refused(code: string, detail: string = isErrorCode(code) ? CODE_TEXTS[code] : code): Answer {
  return failed(422, detail, { errorCode: code });
}

export function malformed(faults: Faults, errorCode?: ErrorCode): Answer {
  return failed(400, undefined, {
    errors: Object.fromEntries(faults),
    ...(errorCode === undefined ? {} : { errorCode }),
  });
}

export function failed(status: number, detail?: string, extra: Partial<FdmsProblem> = {}): Answer {
  return {
    status,
    problem: {
      ...extra,
      type: `https://httpstatuses.io/${status}`,
      title: TITLES[status] ?? 'Error',
      status,
      ...(detail === undefined ? {} : { detail }),
    },
  };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(CODE_TEXTS, code);
}
