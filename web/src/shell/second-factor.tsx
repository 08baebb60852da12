import { Button, Code, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { SESSION_KEY } from '../api/session.ts';
import { CopyText } from '../parts/copy.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { OwnPassword } from './choose-password.tsx';
import { Doorway } from './doorway.tsx';
import { AddPasskey, askSecondFactor, hasPasskeys, UsePasskey } from './passkey.tsx';
import { SignOut } from './sign-out.tsx';

export const secondFactorQuery = {
  queryKey: ['second-factor'],
  queryFn: () => call('GET /api/admin/session/second-factor', {}),
};

/** Between the password and everything else. */
export function GiveSecondFactor() {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: ['second-factor-options'], queryFn: askSecondFactor, staleTime: Infinity });
  const goOn = () => void client.invalidateQueries({ queryKey: SESSION_KEY });
  const sending = useSending({
    values: { Code: '' },
    send: (body) => call('POST /api/admin/session/second-factor', { body }),
    onSent: goOn,
    onRefused: () => sending.form.setFieldValue('Code', ''),
  });
  const withPasskey = data !== undefined && data.Passkey !== null && hasPasskeys();
  const app = data?.Totp === false ? '' : 'Your app shows a code of six digits. ';
  return (
    <Doorway title="One more step" lead={`${app}A recovery code works as well, once.`}>
      {withPasskey && <UsePasskey onProven={goOn} />}
      <DialogForm sending={sending} button="Continue">
        <CodeInput field={sending.field('Code')} />
      </DialogForm>
      <SignOut />
    </Doorway>
  );
}

/** Where it is required and there is none yet. */
export function Enrolment(props: { readonly onCodes: (areShown: boolean) => void }) {
  const { data } = useQuery(secondFactorQuery);
  const [isApp, setIsApp] = useState(false);
  const [showsCodes, setShowsCodes] = useState(false);
  if (data === undefined) return null;
  const onCodes = (areShown: boolean) => {
    setShowsCodes(areShown);
    props.onCodes(areShown);
  };
  const canChoose = data.CanHavePasskeys && hasPasskeys();
  return (
    <Doorway
      title="Set up a second factor"
      lead="It is required here: a passkey, or an app on your phone that shows a code for every log-in."
    >
      {canChoose && !isApp ? <SetUpPasskey isRequired onCodes={onCodes} /> : <SetUpTotp isRequired onCodes={onCodes} />}
      {canChoose && !showsCodes && (
        <Button variant="subtle" size="xs" onClick={() => setIsApp(!isApp)}>
          {isApp ? 'Use a passkey instead' : 'Use an app instead'}
        </Button>
      )}
      <SignOut />
    </Doorway>
  );
}

interface SetUpProps {
  /** By who has just logged in: no password is asked for once more. */
  readonly isRequired?: boolean;
  /** Whoever shows it keeps it in place as long as the recovery codes are shown. */
  readonly onCodes?: (areShown: boolean) => void;
  readonly onDone?: () => void;
}

/** The recovery codes, where there are new ones, and then on. */
function useCodes({ onCodes, onDone }: SetUpProps) {
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const goOn = () => {
    onCodes?.(false);
    onDone?.();
    void client.invalidateQueries();
  };
  const show = (made: readonly string[]) => {
    if (made.length === 0) return goOn();
    setCodes(made);
    onCodes?.(true);
  };
  return { show, shown: codes.length === 0 ? undefined : <RecoveryCodes codes={codes} onDone={goOn} /> };
}

export function SetUpPasskey(props: SetUpProps) {
  const codes = useCodes(props);
  return codes.shown ?? <AddPasskey asksPassword={!props.isRequired} onAdded={codes.show} />;
}

/** Password, QR code, first code. */
export function SetUpTotp(props: SetUpProps) {
  const codes = useCodes(props);
  const beginning = useSending({
    values: { Password: '' },
    send: (body) => call('POST /api/admin/session/totp', { body: props.isRequired ? {} : body }),
  });
  const confirming = useSending({
    values: { Code: '' },
    send: (body) => call('PUT /api/admin/session/totp', { body }),
    onSent: ({ RecoveryCodes: made }) => codes.show(made),
    isShownOnce: true,
  });
  if (codes.shown !== undefined) return codes.shown;
  if (beginning.answer === undefined) {
    return (
      <DialogForm sending={beginning} button="Continue">
        {!props.isRequired && <OwnPassword field={beginning.field('Password')} />}
      </DialogForm>
    );
  }
  const { Uri, Secret } = beginning.answer;
  return (
    <Stack>
      <Text>Scan this with an app such as Aegis, Google Authenticator or your password manager.</Text>
      <Group justify="center">
        <QrCode content={Uri} />
      </Group>
      <CopyText value={Secret} label="Copy the secret" />
      <DialogForm sending={confirming} button="Confirm">
        <CodeInput field={confirming.field('Code')} />
      </DialogForm>
    </Stack>
  );
}

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <Stack>
      <Notice color="seal" title="Keep these recovery codes" role="status">
        Each lets you in once without your second factor. They are never shown again.
      </Notice>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code}>{code}</Code>
        ))}
      </SimpleGrid>
      <CopyText value={codes.join('\n')} label="Copy all" />
      <Button onClick={onDone}>I have kept them</Button>
    </Stack>
  );
}

function CodeInput({ field }: { readonly field: object }) {
  return (
    <TextInput
      label="Code"
      autoComplete="one-time-code"
      inputMode="text"
      required
      withAsterisk={false}
      data-autofocus
      {...field}
    />
  );
}
