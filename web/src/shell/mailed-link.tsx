import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import type { SessionPerson } from '../api/session.ts';
import { DialogForm, useSending } from '../parts/form.tsx';
import { Failure } from '../parts/states.tsx';
import { ContinueWith } from './by-provider.tsx';
import { NewPassword } from './choose-password.tsx';
import { Doorway } from './doorway.tsx';

/** Behind the # of the address: it never reaches a log of a server. */
export const isMailedLink = () => window.location.pathname === '/console/link' && window.location.hash.length > 1;

/** An invitation or a way to a new password, opened from a mail. */
export function MailedLinkPage({ person }: { readonly person: SessionPerson | null }) {
  const Token = window.location.hash.slice(1);
  const isUsed = useRef(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['link', Token],
    queryFn: () => call('POST /api/admin/session/link', { body: { Token } }),
    retry: false,
    // Used up, there is nothing to read any more.
    enabled: () => !isUsed.current,
  });
  if (error !== null) {
    return (
      <Doorway title="This link" lead="It works once, and only for a while.">
        <Failure error={error} onRetry={() => void refetch()} />
      </Doorway>
    );
  }
  if (data === undefined) return null;
  const leave = () => {
    isUsed.current = true;
    window.location.assign('/console');
  };
  return <UseLink token={Token} link={data} person={person} onUsed={leave} />;
}

function UseLink(props: {
  readonly token: string;
  readonly link: AnswerAt<'POST /api/admin/session/link'>;
  readonly person: SessionPerson | null;
  readonly onUsed: () => void;
}) {
  const { token: Token, link, person } = props;
  const isNew = link.Invites !== null && !link.HasAccount;
  const sending = useSending({
    values: { Name: link.Name, NewPassword: '' },
    send: ({ Name, NewPassword }) =>
      call('PUT /api/admin/session/link', {
        body: { Token, ...(isNew ? { Name } : {}), ...(isNew || link.Invites === null ? { NewPassword } : {}) },
      }),
    onSent: props.onUsed,
  });
  const title = link.Invites === null ? 'Choose a password' : `Look after ${link.Invites}`;
  return (
    <Doorway title={title} lead={`For ${link.Email}.`}>
      {link.Invites !== null && link.HasAccount && person === null && (
        <Text>There is an account with this address: log in with it in another tab, then open this link again.</Text>
      )}
      <DialogForm sending={sending} button={link.Invites === null ? 'Save' : 'Accept'}>
        {isNew && <TextInput autoComplete="name" required {...sending.field('Name', 'Your name')} />}
        {(isNew || link.Invites === null) && <NewPassword field={sending.field('NewPassword')} />}
      </DialogForm>
      {isNew && <ContinueWith token={Token} />}
    </Doorway>
  );
}

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
