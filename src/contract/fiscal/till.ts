import { shape, Type } from '../shared/vocabulary.ts';

/** A till that has unsealed sales in its outbox, as it said with its last sign request (docs/signing.md, "Who is behind"). */
export const TillBehind = shape('TillBehind', {
  TokenId: Type.String({ format: 'uuid' }),
  TokenName: Type.String({ description: 'Of the token that it signs with. Tills that share one count as one.' }),
  AuthorityDeviceId: Type.Integer(),
  WaitingSales: Type.Integer({ minimum: 1 }),
  WaitingSince: Type.String({ format: 'date-time', description: 'When the first of them was sold.' }),
  HeardAt: Type.Instant,
});
export type TillBehind = Type.Static<typeof TillBehind>;
