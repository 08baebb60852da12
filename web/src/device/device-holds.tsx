import { List } from '@mantine/core';
import type { Device } from '../api/answers.ts';
import { sentence, words } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { useTimes } from '../parts/use-times.ts';
import { GoOn } from './go-on.tsx';
import { RegisterAgain } from './register-again.tsx';

/** Why nothing is sealed on the device: each hold with its reason, since when, and who ends it. */
export function HoldsBanner({ device }: { readonly device: Device }) {
  const { moment } = useTimes();
  const { Holds: holds, AuthorityDeviceId } = device;
  if (holds.length === 0) return null;
  const isChainCut = holds.some(({ Kind }) => Kind === 'RowsLost' || Kind === 'AuthorityAhead');
  const isCertificateToReplace = holds.some(({ Kind }) => Kind === 'Refused' || Kind === 'CertificateExpired');
  const [{ Since }] = [...holds.filter(({ Kind }) => Kind === 'GivenUp'), { Since: null }];
  if (Since !== null)
    return (
      <Notice color="gray" title="Given up" actions={<RegisterAgain device={device} />}>
        Since {moment(Since, true)} nothing is sealed on this device, and it is not looked after. Its receipts and days
        stay.
      </Notice>
    );
  return (
    <Notice
      color="red"
      title="On hold: nothing is sealed on this device"
      actions={
        <>
          {isChainCut && <GoOn deviceId={AuthorityDeviceId} />}
          {isCertificateToReplace && <RegisterAgain device={device} />}
        </>
      }
    >
      Tills get 503 DeviceOnHold and keep their receipts.
      <List mt="xs" spacing="xs" size="sm">
        {holds.map(({ Kind, Reason, Since, EndedBy }) => (
          <List.Item key={Kind}>
            <b>{words(Kind)}</b>, since {moment(Since, true)}: {sentence(Reason)} {EndedBy}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}
