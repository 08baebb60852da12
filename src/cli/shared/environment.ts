import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { readSettings, type Settings } from '../../platform/settings.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What the command line takes from outside its arguments. Only this file of it knows about environment variables. */
export interface Environment {
  readonly dataDir: string | undefined;
  readonly profile: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly operatorToken: string | undefined;
  /** Where profiles are kept. */
  readonly configFolder: string;
  readonly isColourAllowed: boolean;
  /** Only for backup and restore, which talk to the database itself. */
  readonly databaseUrl: string | undefined;
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string | undefined;
  readonly backupPassphrase: string | undefined;
  /** Those of the service, with what else is given. */
  readonly settings: (more: Variables) => Settings;
}

export function readEnvironment(variables: Variables): Environment {
  const given = (name: string): string | undefined => variables[name]?.trim() || undefined;
  const configHome = given('XDG_CONFIG_HOME');
  return {
    dataDir: given('DATA_DIR'),
    profile: given('TILLSEAL_PROFILE'),
    url: given('TILLSEAL_URL'),
    token: given('TILLSEAL_TOKEN'),
    operatorToken: given('TILLSEAL_OPERATOR_TOKEN'),
    // The XDG specification wants relative paths ignored.
    configFolder: join(
      configHome !== undefined && isAbsolute(configHome) ? configHome : join(given('HOME') ?? homedir(), '.config'),
      'tillseal',
    ),
    databaseUrl: given('DATABASE_URL'),
    masterKey: given('MASTER_KEY'),
    masterKeyFile: given('MASTER_KEY_FILE'),
    backupPassphrase: given('TILLSEAL_BACKUP_PASSPHRASE'),
    settings: (more) => readSettings({ ...more, ...variables }),
    isColourAllowed: given('NO_COLOR') === undefined && given('TERM') !== 'dumb',
  };
}
