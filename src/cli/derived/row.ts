/** What a table says of a command beside its operation. */
import type { AnswerOf, BodyOf, Operation } from '../../contract/shared/operation.ts';
import type { Given, Service } from '../shared/client.ts';
import type { Invocation, Options } from '../shared/command.ts';
import type { ExitCode } from '../shared/failure.ts';
import type { ItemOf } from '../shared/pages.ts';
import type { Answer } from '../shared/problem-failure.ts';
import type { Fact } from '../shared/table.ts';
import type { Spoken } from './field.ts';
import type { Columns } from './show.ts';

type Names<Of> = Of extends object ? keyof Of & string : never;
type FieldName<O extends Operation> =
  | Names<BodyOf<O>>
  | Names<Given<O>['params']>
  | Names<NonNullable<Given<O>['query']>>;

/** What the operation does not say of its command. */
export interface Row<O extends Operation> {
  /** Instead of the summary of the operation. */
  readonly summary?: string;
  readonly details?: string;
  /** What follows the name and the words of the command in its examples, or a whole line. */
  readonly examples?: readonly string[];
  /** Which fields are words, in their order; in brackets where one may be left out. The parameters of the path unless it says otherwise. */
  readonly words?: readonly (FieldName<O> | `[${FieldName<O>}]`)[];
  /** What stands for a word in the usage line, where its name does not say it well. */
  readonly labels?: { readonly [Name in FieldName<O>]?: string };
  /** What a word is for the operation, such as the id of an operator whose email was typed. */
  readonly find?: {
    readonly [Name in FieldName<O>]?: (word: string, service: Service, request: Request) => Promise<unknown>;
  };
  /** Hand-chosen names and help of options; `false`: no option. */
  readonly flags?: { readonly [Name in FieldName<O>]?: Spoken | false };
  /** The same of the options that send null or false; there are none unless the command changes something. */
  readonly negatives?: { readonly [Name in FieldName<O>]?: Spoken | false };
  /** Sent whatever is given. */
  readonly body?: Partial<BodyOf<O>>;
  /** All of the body: no field of it is an option. */
  readonly whole?: Partial<BodyOf<O>>;
  /** The body comes from a file: what it is, for people. */
  readonly file?: string;
  readonly headers?: (invocation: Invocation) => Readonly<Record<string, string>>;
  /** Further options, and what they do to the request. */
  readonly options?: Options;
  readonly amend?: (request: Request, invocation: Invocation, open: () => Promise<Service>) => Promise<void> | void;
  /** Another operation of the same kind, such as the one for operators. */
  readonly instead?: (invocation: Invocation) => Promise<Operation | undefined> | Operation | undefined;
  /** Of a list. */
  readonly columns?: Columns<ItemOf<O>>;
  readonly noun?: string;
  readonly csv?: Operation;
  /** Of one thing: what is shown of it, or a sentence. Every field of it, and its lists as tables, unless it says otherwise. */
  readonly facts?: Columns<AnswerOf<O>> | ((value: AnswerOf<O>, zone: string) => Fact[]);
  readonly tables?: {
    readonly [Key in Names<AnswerOf<O>>]?: Columns<AnswerOf<O>[Key] extends readonly (infer Item)[] ? Item : never>;
  };
  /** Facts that take another question. */
  readonly andFacts?: (value: AnswerOf<O>, service: Service) => Promise<Fact[]>;
  readonly say?: (value: AnswerOf<O>, zone: string, request: Request) => string;
  /** Said beside the answer. */
  readonly notes?: (value: AnswerOf<O>) => readonly string[];
  /** Of a document: what is printed where no format is asked for; as JSON is a format, too. */
  readonly format?: string;
  /** The same of what the headers of the answer say. */
  readonly heard?: (header: Answer['header']) => readonly string[];
  /** People, too, get the answer as JSON. */
  readonly isJson?: true;
  readonly progress?: string;
  readonly end?: (value: AnswerOf<O>) => ExitCode;
}

export interface Request {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  body: Record<string, unknown> | Buffer;
}
