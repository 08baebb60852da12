/**
 * What an operation of the API is: one value from which its route, its checks, its place in the reference, the calls of the
 * console and of the command line, the fuzzer's target and its row in the authorisation matrix are derived.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { Decimal } from '../../kernel/decimal.ts';
import type { RefusalCode } from '../../kernel/refusal.ts';
import type { Access } from './access.ts';
import { type ParamsIn, paramsOf } from './params.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Tag = 'Receipts' | 'Devices' | 'Payments' | 'Events' | 'Administration' | 'Operations';

export interface Operation extends Described {
  readonly method: Method;
  /** With `:name` for each parameter. */
  readonly path: string;
  readonly tag: Tag;
}

interface Described {
  readonly access: Access;
  /** `Administration` unless it says otherwise. */
  readonly tag?: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Its name in `tillseal`, such as `biller members`, unless the command says more than is here: then it is a row in `src/cli`. */
  readonly command?: string;
  /** Those of the path, where they are not what their names say (`params.ts`). */
  readonly params?: TObject;
  /** The parameters are only described: the handler looks at them, so that what cannot exist is 404 and not 400. */
  readonly hasOpenParams?: true;
  readonly query?: TObject;
  /** Of the request: described here, read by the handler. */
  readonly headers?: Readonly<Record<string, HeaderField>>;
  readonly body?: TSchema;
  /** Fields of the body that nobody but the installation's own people may send. */
  readonly installationFields?: readonly string[];
  /** The body's numbers stay as they were parsed: the handler reads them digit by digit. */
  readonly hasRawNumbers?: true;
  /** Each by what it shows. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
  /** Answers of the same kind with another status, by it. */
  readonly otherAnswers?: Readonly<Record<number, Answer>>;
  /** What it refuses with beyond what every operation does, and every one of something that its path names. */
  readonly refusals?: readonly RefusalCode[];
}

/** The one good answer. */
export interface Answer {
  /** 200 unless it says otherwise. */
  readonly status?: 200 | 201 | 202;
  readonly description: string;
  readonly schema: TSchema;
  /** `application/json` unless it says otherwise. */
  readonly contentType?: string;
  /** Schemas of what else it can be, by content type. */
  readonly otherContents?: Readonly<Record<string, object>>;
  readonly headers?: Readonly<Record<string, HeaderField>>;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface HeaderField {
  readonly description: string;
  readonly schema: object;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

type At<Address> = Address extends `${infer M extends Method} ${infer Path}`
  ? { readonly method: M; readonly path: Path }
  : never;

/** Checks the value and keeps its exact type, from which everything below is inferred. */
export function operation<const Address extends `${Method} /${string}`, const Given extends Described>(
  address: Address,
  given: Given,
): Given &
  At<Address> &
  (Given extends { readonly params: TObject } ? unknown : ParamsIn<Address>) & { readonly tag: Tag } {
  const [method, path = ''] = address.split(' ');
  const derived = { method, path, ...(given.params ? {} : paramsOf(path)) };
  return { ...given, tag: given.tag ?? 'Administration', ...(derived as At<Address> & ParamsIn<Address>) };
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type ParamsOf<O extends Operation> = StaticOf<O['params']>;
export type QueryOf<O extends Operation> = StaticOf<O['query']>;
export type BodyOf<O extends Operation> = StaticOf<O['body']>;
export type AnswerOf<O extends Operation> = StaticOf<O['answer']['schema']>;

/** The same where no Decimal is at hand, as in a browser: an exact number, or its text where it has too many digits for one. */
export type Wire<Value> = Value extends Decimal
  ? number | string
  : Value extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Wire<Value[Key]> }
      : Value;
