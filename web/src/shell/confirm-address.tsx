import { Text } from '@mantine/core';
import { call } from '../api/client.ts';
import { DialogForm, useSending } from '../parts/form.tsx';
import { Doorway } from './doorway.tsx';

/** Behind the # of the address: it never reaches a log of a server. */
export const isConfirmation = () => window.location.pathname === '/console/confirm' && window.location.hash.length > 1;

/** Opened from a mail, by somebody who may have no account: a program that follows links has pressed no button. */
export function ConfirmAddress() {
  const Token = window.location.hash.slice(1);
  const sending = useSending({
    values: { Token },
    send: (body) => call('POST /api/admin/endpoints/confirm', { body }),
  });
  const address = sending.answer?.Address;
  if (address !== undefined) {
    return (
      <Doorway title="Thank you" lead="You will be told.">
        <Text>Messages are sent to {address} from now on.</Text>
      </Doorway>
    );
  }
  return (
    <Doorway title="Messages from Tillseal" lead="Somebody wants you to be told about their tills or payments.">
      <DialogForm sending={sending} button="Send them to me">
        <Text>If you do not want that, close this page: no message follows.</Text>
      </DialogForm>
    </Doorway>
  );
}
