import { columnsOf } from '../derived/show.ts';
import { type Command, type Invocation, JSON_OPTION, requiredText, wholeNumber } from '../shared/command.ts';
import { findDemo, webAddress } from '../shared/connection.ts';
import { usage } from '../shared/failure.ts';
import { typedOrRead } from '../shared/input.ts';
import {
  DEMO_PROFILE,
  type Profile,
  profileNamed,
  profilesFile,
  readProfiles,
  writeProfiles,
} from '../shared/profiles.ts';
import { tablePrinter } from '../shared/table.ts';

async function tokenText(invocation: Invocation, option: string): Promise<string | undefined> {
  const given = invocation.text(option);
  const token = given && (await typedOrRead(invocation.terminal, given));
  if (token === undefined || /^[!-~]+$/.test(token)) return token;
  throw usage(`--${option} is not a token: it is empty or contains characters that no token has.`);
}

async function addProfile(invocation: Invocation): Promise<void> {
  const { terminal, environment } = invocation;
  const [name = ''] = invocation.words;
  if (name === DEMO_PROFILE) throw usage('The name demo is reserved for the local demo: choose another.');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw usage(`A profile's name has letters, digits, dots and dashes, got "${name}".`);
  }
  const url = webAddress('--url', requiredText(invocation, 'url', 'https://tillseal.example.com'));
  if (invocation.text('token') === '-' && invocation.text('operator-token') === '-') {
    throw usage('Only one token can come from standard input: add the other with a second profile add.');
  }
  const profiles = await readProfiles(environment.configFolder);
  const old = profiles.byName.get(name);
  // Tokens for the same address stay when only one of them is replaced.
  const kept = old?.url === url ? old : undefined;
  const profile: Profile = {
    url,
    token: (await tokenText(invocation, 'token')) ?? kept?.token,
    operatorToken: (await tokenText(invocation, 'operator-token')) ?? kept?.operatorToken,
    deviceId: wholeNumber(invocation, 'device', 1) ?? kept?.deviceId,
  };
  const byName = new Map(profiles.byName).set(name, profile);
  const inUse = invocation.isSet('use') ? name : profiles.inUse;
  await writeProfiles(environment.configFolder, { inUse, byName });
  terminal.print(`${old === undefined ? 'Added' : 'Changed'} the profile ${name} for ${url}.`);
  if (inUse !== name) terminal.note(`Use it with --profile ${name}, or always: tillseal profile use ${name}`);
  if (isInTheOpen(url))
    terminal.note('Careful: with http:// the tokens are sent unencrypted. Use https:// outside this machine.');
}

function isInTheOpen(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}

async function listProfiles(invocation: Invocation): Promise<void> {
  const { terminal, environment } = invocation;
  const { inUse, byName } = await readProfiles(environment.configFolder);
  const demo = await findDemo(environment);
  const rows = [
    ...(demo === undefined ? [] : [{ name: DEMO_PROFILE, profile: demo }]),
    ...[...byName].map(([name, profile]) => ({ name, profile })),
  ].map(({ name, profile }) => ({
    Name: name,
    Url: profile.url,
    HasToken: profile.token !== undefined,
    HasOperatorToken: profile.operatorToken !== undefined,
    DeviceId: profile.deviceId ?? null,
    InUse: name === (inUse ?? DEMO_PROFILE),
  }));
  if (invocation.isSet('json')) terminal.print(JSON.stringify({ Profiles: rows }));
  else if (rows.length === 0)
    terminal.note('No profiles. Add one: tillseal profile add NAME --url https://… --token …');
  else {
    const columns = [
      'InUse',
      'Name',
      'Url',
      { TOKEN: 'HasToken', 'OPERATOR TOKEN': 'HasOperatorToken' },
      'DeviceId',
    ] as const;
    tablePrinter(terminal, columnsOf<(typeof rows)[number]>(columns))(rows);
  }
}

async function useProfile({ terminal, environment, words }: Invocation): Promise<void> {
  const profiles = await readProfiles(environment.configFolder);
  const [name = ''] = words;
  const profile = name === DEMO_PROFILE ? undefined : profileNamed(profiles, name);
  await writeProfiles(environment.configFolder, { ...profiles, inUse: profile && name });
  terminal.print(profile === undefined ? 'Using the local demo.' : `Using ${name}: ${profile.url}.`);
}

async function removeProfile({ terminal, environment, words }: Invocation): Promise<void> {
  const profiles = await readProfiles(environment.configFolder);
  const [name = ''] = words;
  profileNamed(profiles, name);
  const byName = new Map(profiles.byName);
  byName.delete(name);
  const inUse = profiles.inUse === name ? undefined : profiles.inUse;
  await writeProfiles(environment.configFolder, { inUse, byName });
  terminal.print(`Removed the profile ${name}, with its tokens, from ${profilesFile(environment.configFolder)}.`);
}

export const profileCommands: readonly Command[] = [
  {
    name: 'profile list',
    summary: 'List the services this command line knows.',
    options: JSON_OPTION,
    examples: ['tillseal profile list'],
    run: listProfiles,
  },
  {
    name: 'profile add',
    summary: 'Name a service and store its tokens; also changes an existing profile.',
    arguments: ['NAME'],
    options: {
      url: { value: 'URL', help: 'where the service is' },
      token: { value: 'TOKEN', help: "a taxpayer's, for sign, receipt and device; - reads it from standard input" },
      'operator-token': { value: 'TOKEN', help: "an operator's, for administration; - reads it from standard input" },
      device: { value: 'ID', help: 'the device that `tillseal device` shows' },
      use: { help: 'use it from now on unless another is named' },
    },
    details: 'Kept in $XDG_CONFIG_HOME/tillseal/profiles.json (~/.config by default), readable only by you.',
    examples: [
      'tillseal profile add shop --url https://tillseal.example.com --token tsk_… --use',
      'pass show tillseal/operator | tillseal profile add shop --url https://tillseal.example.com --operator-token -',
    ],
    run: addProfile,
  },
  {
    name: 'profile use',
    summary: 'Use a profile from now on; demo switches back to the local demo.',
    arguments: ['NAME'],
    options: {},
    examples: ['tillseal profile use shop', 'tillseal profile use demo'],
    run: useProfile,
  },
  {
    name: 'profile remove',
    summary: 'Delete a profile and its tokens.',
    arguments: ['NAME'],
    options: {},
    examples: ['tillseal profile remove shop'],
    run: removeProfile,
  },
];
