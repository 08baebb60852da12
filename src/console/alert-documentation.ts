import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

export const AlertSchema = Type.Object(
  {
    Number: Type.String(),
    TaxpayerId: Type.Union([Type.String(), Type.Null()]),
    VendorId: Type.Union([Type.String(), Type.Null()]),
    AuthorityDeviceId: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    Kind: Type.String(),
    Subject: Type.String(),
    Message: Type.String({ description: 'What happened and what to do.' }),
    RaisedAt: Type.String(),
    AcknowledgedAt: textOrNull({}),
    AcknowledgedBy: textOrNull({}),
    ClearedAt: textOrNull({ description: 'When the matter settled itself.' }),
  },
  { title: 'Alert' },
);

export const alertExample = {
  Number: '7',
  TaxpayerId: '01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
  VendorId: null,
  AuthorityDeviceId: 1001,
  Kind: 'ReceiptRefused',
  Subject: 'INV-2041',
  Message:
    'The authority refused INV-2041: invoiceNo is too long. Nothing more of device 1001 is submitted until an operator decides.',
  RaisedAt: '2026-11-15T10:00:00.000Z',
  AcknowledgedAt: null,
  AcknowledgedBy: null,
  ClearedAt: null,
};

export const listAlertsDocumentation: RouteDocumentation = {
  operationId: 'listAlerts',
  tag: 'Administration',
  summary: 'What a person has to look at',
  answers: { 200: listOf('Alerts', AlertSchema, 'AlertList', alertExample) },
};

export const acknowledgeAlertDocumentation: RouteDocumentation = {
  operationId: 'acknowledgeAlert',
  tag: 'Administration',
  summary: 'Say that somebody takes care of an alert',
  answers: {
    200: {
      description: 'The alert.',
      schema: AlertSchema,
      examples: {
        acknowledged: {
          summary: 'Acknowledged',
          value: { ...alertExample, AcknowledgedAt: '2026-11-15T10:05:00.000Z', AcknowledgedBy: 'Tendai' },
        },
      },
    },
  },
  refusals: ['NotFound'],
};
