import { Button, FileInput, Group, Image, Paper, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerAt, call } from '../api/client.ts';
import type { Taxpayer } from '../api/shapes.ts';
import { tell } from '../parts/notify.ts';
import { SendForm } from '../parts/send-form.tsx';
import { Loaded } from '../parts/states.tsx';

/** What stands on the receipts a taxpayer prints, beside what the law asks for. */
export function TaxpayerPrinting({ taxpayer, onDone }: { readonly taxpayer: Taxpayer; readonly onDone: () => void }) {
  const params = { taxpayerId: taxpayer.TaxpayerId };
  const printing = useQuery({
    queryKey: ['printing', taxpayer.TaxpayerId],
    queryFn: () => call('GET /api/admin/taxpayers/:taxpayerId/printing', { params }),
  });
  return (
    <Loaded query={printing} rows={3}>
      {(found) => <PrintingForm params={params} printing={found} onDone={onDone} />}
    </Loaded>
  );
}

interface FormProps {
  readonly params: { readonly taxpayerId: string };
  readonly printing: AnswerAt<'GET /api/admin/taxpayers/:taxpayerId/printing'>;
  readonly onDone: () => void;
}

function PrintingForm({ params, printing, onDone }: FormProps) {
  const client = useQueryClient();
  const [footer, setFooter] = useState(printing.Footer ?? '');
  const [logo, setLogo] = useState(printing.Logo);
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /api/admin/taxpayers/:taxpayerId/printing', {
        params,
        body: { Footer: footer.trim() === '' ? null : footer, Logo: logo },
      }),
    onSuccess: async () => {
      tell('Saved. It is on everything that is printed from now on.');
      onDone();
      await client.invalidateQueries({ queryKey: ['printing'] });
    },
  });
  const choose = async (file: File | null) => {
    if (file === null) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    setLogo(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')));
  };
  return (
    <SendForm sending={save} button="Save">
      {(errorAt) => (
        <>
          <FileInput
            label="Logo"
            description="A PNG of at most 100 kB, printed at the top"
            accept="image/png"
            placeholder={logo === null ? 'None' : 'Choose another'}
            onChange={(file) => void choose(file)}
            error={errorAt('Logo')}
          />
          {logo !== null && (
            <Group>
              <Paper withBorder p="xs" bg="white">
                <Image src={`data:image/png;base64,${logo}`} alt="The logo" mah={72} w="auto" fit="contain" />
              </Paper>
              <Button variant="default" size="xs" onClick={() => setLogo(null)}>
                Take it off
              </Button>
            </Group>
          )}
          <Textarea
            label="Footer"
            description="At most 500 characters, printed at the end"
            maxLength={500}
            autosize
            minRows={2}
            value={footer}
            onChange={(event) => setFooter(event.currentTarget.value)}
            error={errorAt('Footer')}
          />
        </>
      )}
    </SendForm>
  );
}
