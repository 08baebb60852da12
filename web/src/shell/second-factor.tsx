import { Button, Code, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { SESSION_KEY } from '../api/session.ts';
import { CopyText } from '../parts/copy.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Doorway } from './log-in.tsx';
import { SignOut } from './sign-out.tsx';

/** Between the password and everything else. */
export function GiveSecondFactor() {
  const client = useQueryClient();
  const sending = useSending({
    values: { Code: '' },
    send: (body) => call('POST /api/admin/session/second-factor', { body }),
    onSent: () => void client.invalidateQueries({ queryKey: SESSION_KEY }),
    onRefused: () => sending.form.setFieldValue('Code', ''),
  });
  return (
    <Doorway title="One more step" lead="Your app shows a code of six digits. A recovery code works as well, once.">
      <DialogForm sending={sending} button="Continue">
        <CodeInput field={sending.field('Code')} />
      </DialogForm>
      <SignOut />
    </Doorway>
  );
}

/** Where it is required and there is none yet. */
export function Enrolment(props: { readonly onCodes: (areShown: boolean) => void }) {
  return (
    <Doorway
      title="Set up a second factor"
      lead="It is required here: an app on your phone shows a code for every log-in."
    >
      <SetUpTotp onCodes={props.onCodes} />
      <SignOut />
    </Doorway>
  );
}

/** Password, QR code, first code, recovery codes; whoever shows it keeps it in place as long as these are shown. */
export function SetUpTotp({ onCodes }: { readonly onCodes: (areShown: boolean) => void }) {
  const client = useQueryClient();
  const beginning = useSending({
    values: { Password: '' },
    send: (body) => call('POST /api/admin/session/totp', { body }),
  });
  const confirming = useSending({
    values: { Code: '' },
    send: (body) => call('PUT /api/admin/session/totp', { body }),
    onSent: () => onCodes(true),
    isShownOnce: true,
  });
  if (confirming.answer !== undefined) {
    const goOn = () => {
      onCodes(false);
      void client.invalidateQueries();
    };
    return <RecoveryCodes codes={confirming.answer.RecoveryCodes} onDone={goOn} />;
  }
  if (beginning.answer === undefined) {
    return (
      <DialogForm sending={beginning} button="Continue">
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...beginning.field('Password')}
        />
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
        Each lets you in once without your phone. They are never shown again.
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
