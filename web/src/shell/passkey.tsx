import { TextInput } from '@mantine/core';
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { call } from '../api/client.ts';
import { DialogForm, useSending } from '../parts/form.tsx';
import { OwnPassword } from './choose-password.tsx';

/** Only over https, or on the machine itself. */
export const hasPasskeys = browserSupportsWebAuthn;

/** What can be given now; each time it is asked, with a new challenge. */
export const askSecondFactor = () => call('POST /api/admin/session/second-factor/options', {});

/** The browser's own words are for programmers. */
async function ask<Answer>(question: Promise<Answer>): Promise<Answer> {
  return question.catch((cause: unknown) => {
    const isKnown = cause instanceof Error && cause.name === 'InvalidStateError';
    throw new Error(isKnown ? 'You have this passkey already.' : 'No passkey answered. Try again.', { cause });
  });
}

/** At log-in, instead of a code. */
export function UsePasskey({ onProven }: { readonly onProven: () => void }) {
  const using = useSending({
    values: {},
    send: async () => {
      const { Passkey: options } = await askSecondFactor();
      const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
      const Passkey = await ask(startAuthentication({ optionsJSON }));
      return call('POST /api/admin/session/second-factor', { body: { Passkey } });
    },
    onSent: onProven,
  });
  return (
    <DialogForm sending={using} button="Use a passkey">
      {null}
    </DialogForm>
  );
}

/** Answers the recovery codes, if there were none. */
export function AddPasskey(props: {
  readonly asksPassword: boolean;
  readonly onAdded: (codes: readonly string[]) => void;
}) {
  const adding = useSending({
    values: { Name: '', Password: '' },
    send: async ({ Name, Password }) => {
      const { Options } = await call('POST /api/admin/session/passkeys', {
        body: props.asksPassword ? { Password } : {},
      });
      const optionsJSON = Options as PublicKeyCredentialCreationOptionsJSON;
      const Passkey = await ask(startRegistration({ optionsJSON }));
      return call('PUT /api/admin/session/passkeys', { body: { Name, Passkey } });
    },
    onSent: ({ RecoveryCodes }) => props.onAdded(RecoveryCodes),
    isShownOnce: true,
  });
  return (
    <DialogForm sending={adding} button="Add">
      <TextInput
        required
        maxLength={50}
        withAsterisk={false}
        data-autofocus
        {...adding.field('Name', 'Name', 'By which you know it again: this phone, the key on your ring.')}
      />
      {props.asksPassword && <OwnPassword field={adding.field('Password')} />}
    </DialogForm>
  );
}
