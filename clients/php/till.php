<?php

/** The scripted till that the conformance suite drives; clients/README.md says what it does. */

declare(strict_types=1);

use Tillseal\Client;
use Tillseal\Error\OutboxError;
use Tillseal\Error\WebhookError;
use Tillseal\ExactJson;
use Tillseal\Outbox;
use Tillseal\Outbox\Journal;
use Tillseal\Outbox\Refused;
use Tillseal\Outbox\Signed;
use Tillseal\TaxSums;
use Tillseal\Webhook;

require __DIR__ . '/src/autoload.php';

const DONE = 0;
const FAILED = 1;
const NOT_UNDERSTOOD = 2;
const HALTED = 3;
const TOO_SLOW = 4;

function say(mixed $value): void
{
    fwrite(STDOUT, json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES) . "\n");
}

function outboxOf(array $options): Outbox
{
    $client = new Client($options['url'] ?? 'http://localhost', $options['token'] ?? '');
    return new Outbox($options['journal'], $client, report: static function (object $event): void {
        fwrite(STDERR, $event::class . "\n");
    });
}

function receipt(int $number, array $options): array
{
    $line = static function (string $name, string $hsCode, ?string $percent, int $cents): array {
        $price = intdiv($cents, 100) . '.' . sprintf('%02d', $cents % 100);
        return [
            'Type' => 'Sale',
            'Name' => $name,
            'HsCode' => $hsCode,
            'UnitPrice' => $price,
            'Quantity' => 1,
            'LineTotal' => $price,
            'TaxPercent' => $percent,
        ];
    };
    $lines = [
        $line('Coffee', '0901', '15.5', ($number % 997 + 1) * 7),
        $line('Bread', '19059010', '0', $number % 89 + 1),
        $line('Stamps', '49070000', null, 50),
    ];
    $sums = TaxSums::of($lines, taxInclusive: true);
    $refuseEvery = (int) ($options['refuse-every'] ?? 0);
    $isWrong = $refuseEvery > 0 && $number % $refuseEvery === 0;
    $cents = (int) str_replace('.', '', $sums->totalAmount) + ($isWrong ? 1 : 0);
    return [
        'AuthorityDeviceId' => (int) $options['device'],
        'Type' => 'FiscalInvoice',
        'Currency' => 'USD',
        'Reference' => "$options[prefix]-$number",
        'Date' => Journal::now(),
        'ReceiptLinesTaxInclusive' => true,
        'TotalAmount' => intdiv($cents, 100) . '.' . sprintf('%02d', $cents % 100),
        'ReceiptLines' => $lines,
        'Taxes' => $sums->taxes,
        'Payments' => [['Type' => 'Cash', 'Amount' => $sums->totalAmount]],
    ];
}

function sell(array $options): int
{
    $outbox = outboxOf($options);
    $stateFile = "$options[journal].$options[prefix].state";
    $state = is_file($stateFile) ? ExactJson::decode((string) file_get_contents($stateFile)) : ['Number' => 1, 'Receipt' => null];
    for ($number = $state['Number']; $number <= (int) $options['sales']; $number++) {
        $sale = $number === $state['Number'] && $state['Receipt'] !== null ? $state['Receipt'] : receipt($number, $options);
        $file = fopen("$stateFile.new", 'wb');
        fwrite($file, ExactJson::encode(['Number' => $number, 'Receipt' => $sale]));
        fsync($file);
        fclose($file);
        rename("$stateFile.new", $stateFile);
        try {
            $outcome = $outbox->sell($sale, (int) ($options['deadline-ms'] ?? 5000) / 1000);
        } catch (OutboxError $error) {
            say(['Reference' => $sale['Reference'], 'Outcome' => 'Failed', 'Error' => $error->getMessage()]);
            return FAILED;
        }
        say(['Reference' => $outcome->reference] + match (true) {
            $outcome instanceof Signed => ['Outcome' => 'Signed', 'GlobalCounter' => $outcome->receipt['GlobalCounter']],
            $outcome instanceof Refused => ['Outcome' => 'Refused', 'Status' => $outcome->problem->status],
            default => ['Outcome' => 'Queued'],
        });
        usleep((int) ($options['every-ms'] ?? 0) * 1000);
    }
    return DONE;
}

function statusOf(Outbox $outbox): array
{
    $status = $outbox->status();
    $parked = static fn (Outbox\Parked $one) => [
        'Reference' => $one->reference,
        'Status' => $one->problem->status,
        'Answer' => $one->problem->text,
    ];
    $problem = $status->halted?->problem;
    return [
        'Open' => $status->open,
        'Oldest' => $status->oldest,
        'Parked' => array_map($parked, $status->parked),
        'Halted' => $problem === null ? null : ['Status' => $problem->status, 'Answer' => $problem->text],
    ];
}

function drain(array $options): int
{
    $outbox = outboxOf($options);
    $until = hrtime(true) + (int) ($options['within-ms'] ?? 60_000) * 1e6;
    while (true) {
        $status = $outbox->drain();
        if ($status->open === 0 || $status->halted !== null || hrtime(true) >= $until) {
            say(statusOf($outbox));
            return $status->open === 0 ? DONE : ($status->halted === null ? TOO_SLOW : HALTED);
        }
        usleep(50_000);
    }
}

function stress(array $options): int
{
    $journal = new Journal($options['journal']);
    $sale = ['Kind' => 'Sale', 'AuthorityDeviceId' => (int) $options['device'], 'Body' => '{}'];
    for ($number = 1; $number <= (int) $options['count']; $number++) {
        $journal->append(static fn () => ['Reference' => "$options[prefix]-$number"] + $sale);
        say(['Reference' => "$options[prefix]-$number"]);
        $old = ['Reference' => "$options[prefix]-old-$number", 'At' => Journal::now(-3600)];
        $journal->append(static fn () => $old + $sale);
        $journal->append(static fn () => $old + ['Kind' => 'Signed', 'Answer' => '{}']);
        $held = $number % 10 === 0 ? $journal->drainLock->tryTake() : null;
        if ($held !== null) {
            $journal->compact($held);
            $held->release();
        }
    }
    return DONE;
}

/** @return array{mixed, mixed} what is expected, and what is so */
function taxSumsCase(array $case): array
{
    $sums = TaxSums::of($case['ReceiptLines'], $case['ReceiptLinesTaxInclusive']);
    return [[$case['Taxes'], $case['TotalAmount']], [$sums->taxes, $sums->totalAmount]];
}

function webhooksCase(array $case): array
{
    try {
        Webhook::verify($case['Secret'], $case['Headers'], $case['Body'], now: $case['Now']);
    } catch (WebhookError) {
        return [$case['IsGood'], false];
    }
    return [$case['IsGood'], true];
}

function journalsCase(array $case): array
{
    $text = base64_decode($case['Text']);
    $folder = sys_get_temp_dir() . '/tillseal-vector-' . bin2hex(random_bytes(8));
    mkdir($folder);
    file_put_contents("$folder/till.journal", $text);
    try {
        $got = statusOf(outboxOf(['journal' => "$folder/till.journal"]));
    } catch (OutboxError) {
        $got = file_get_contents("$folder/till.journal") === $text ? 'an error' : 'an error, and a changed file';
    }
    array_map(unlink(...), glob("$folder/*"));
    rmdir($folder);
    return [$case['Status'] ?? 'an error', $got];
}

function vectors(array $options): int
{
    $document = ExactJson::decode((string) file_get_contents($options['file']));
    $run = ['tax-sums.json' => taxSumsCase(...), 'webhooks.json' => webhooksCase(...), 'journals.json' => journalsCase(...)][
        basename($options['file'])
    ];
    $cases = $document['Cases'] ?? $document['Vectors'];
    $failed = [];
    foreach ($cases as $case) {
        [$expected, $got] = $run($case);
        if ($expected !== $got) {
            $failed[] = ['Name' => $case['Name'], 'Expected' => $expected, 'Got' => $got];
        }
    }
    say(['Passed' => count($cases) - count($failed), 'Failed' => $failed]);
    return $failed === [] ? DONE : FAILED;
}

function status(array $options): int
{
    say(statusOf(outboxOf($options)));
    return DONE;
}

/** retry, discard or resume */
function settle(string $command, array $options): int
{
    outboxOf($options)->$command(...($command === 'resume' ? [] : [$options['reference']]));
    return DONE;
}

function usage(): int
{
    fwrite(STDERR, "Usage: till.php sell | drain | status | retry | discard | resume | stress | vectors [--name value …]\n");
    return NOT_UNDERSTOOD;
}

$words = array_slice($argv, 1);
$command = array_shift($words) ?? '';
$options = [];
foreach (array_chunk($command === 'vectors' ? ['--file', ...$words] : $words, 2) as [$name, $value]) {
    $options[substr($name, 2)] = $value;
}
try {
    exit(match ($command) {
        'sell' => sell($options),
        'drain' => drain($options),
        'status' => status($options),
        'retry', 'discard', 'resume' => settle($command, $options),
        'stress' => stress($options),
        'vectors' => vectors($options),
        default => usage(),
    });
} catch (OutboxError $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(FAILED);
}
