<?php

/** What the tests need: a folder, a scripted service, other processes, and words for what must be so. */

declare(strict_types=1);

use Tillseal\Client;
use Tillseal\Outbox;

require __DIR__ . '/../src/autoload.php';

final class World
{
    public readonly string $folder;
    public readonly string $journal;
    public readonly string $url;
    public readonly Client $client;
    /** @var list<object> */
    public array $reports = [];
    /** @var list<resource> */
    private array $processes = [];

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/tillseal-php-' . bin2hex(random_bytes(8));
        mkdir($this->folder);
        $this->journal = "$this->folder/till.journal";
        [, $pipes] = $this->start([PHP_BINARY, __DIR__ . '/service.php', $this->folder]);
        $this->url = 'http://127.0.0.1:' . trim((string) fgets($pipes[1]));
        $this->client = new Client($this->url, 'tsk_test');
    }

    public function outbox(float $deadline = FAR): Outbox
    {
        return new Outbox($this->journal, $this->client, $deadline, function (object $event): void {
            $this->reports[] = $event;
        });
    }

    /** Answers with these one after the other, then seals. */
    public function replyWith(array ...$replies): void
    {
        file_put_contents("$this->folder/script.json", json_encode($replies));
    }

    /** @return list<array<string, mixed>> */
    public function asked(): array
    {
        $lines = array_filter(explode("\n", (string) @file_get_contents("$this->folder/asked")));
        return array_map(static fn (string $line) => json_decode($line, true), $lines);
    }

    /** @return list<string> */
    public function references(): array
    {
        return array_map(static fn (array $asked) => json_decode($asked['Text'], true)['Reference'], $this->asked());
    }

    /** @return array{resource, array<int, resource>} */
    public function start(array $words): array
    {
        $process = proc_open($words, [['pipe', 'r'], ['pipe', 'w'], ['file', "$this->folder/stderr", 'a']], $pipes);
        $this->processes[] = $process;
        return [$process, $pipes];
    }

    /** Another process that has `$journal`. */
    public function child(string $program, string $before = ''): array
    {
        $program = 'require ' . var_export(__DIR__ . '/../src/autoload.php', true) . ';'
            . 'use Tillseal\{Client, Outbox}; use Tillseal\Outbox\Journal; use Tillseal\Error\OutboxError;'
            . '$journal = new Journal(' . var_export($this->journal, true) . ');' . $program;
        return $this->start(['bash', '-c', "$before exec \"\$0\" \"\$@\"", PHP_BINARY, '-r', $program]);
    }

    /** What comes of a sale where no file may grow beyond so many KiB. */
    public function sellLimited(int $kibibytes, array $receipt): string
    {
        $program = '$outbox = new Outbox($journal->path, new Client(' . var_export($this->url, true) . ', ""));'
            . 'try { echo get_class($outbox->sell(' . var_export($receipt, true) . ')); }'
            . 'catch (OutboxError $error) { echo "OutboxError ", $error->getMessage(); }';
        [, $pipes] = $this->child($program, "trap '' XFSZ; ulimit -f $kibibytes;");
        return (string) stream_get_contents($pipes[1]);
    }

    public function content(): string
    {
        return (string) file_get_contents($this->journal);
    }

    public function end(): void
    {
        foreach ($this->processes as $process) {
            proc_terminate($process, SIGKILL);
            proc_close($process);
        }
        array_map(unlink(...), glob("$this->folder/*"));
        rmdir($this->folder);
    }
}

/** A deadline in seconds: a slow machine must not decide what becomes of a sale. */
const FAR = 50.0;

const SIGKILL_NUMBER = 9;
defined('SIGKILL') || define('SIGKILL', SIGKILL_NUMBER);

function pidOf($process): int
{
    return proc_get_status($process)['pid'];
}

function expectSame(mixed $expected, mixed $got, string $what = ''): void
{
    if ($expected !== $got) {
        throw new LogicException(trim("$what: expected " . var_export($expected, true) . ', got ' . var_export($got, true), ': '));
    }
}

function expectThat(bool $is, string $what): void
{
    expectSame(true, $is, $what);
}

/** @param class-string<Throwable> $type */
function expectThrown(string $type, callable $do, string $words = ''): Throwable
{
    try {
        $do();
    } catch (Throwable $error) {
        if ($error instanceof $type && str_contains($error->getMessage(), $words)) {
            return $error;
        }
        throw $error;
    }
    throw new LogicException("expected $type");
}

function receipt(string $reference, int $device = 1001, array $more = []): array
{
    return ['AuthorityDeviceId' => $device, 'Reference' => $reference] + $more;
}

function refused(int $status, string $code = 'InvalidRequest', array $errors = [], array $headers = []): array
{
    $body = ['status' => $status, 'Code' => $code, 'detail' => 'Not so.', 'errors' => $errors];
    return ['Status' => $status, 'Body' => $body, 'Headers' => $headers];
}

function line(string $text): string
{
    return hash('crc32b', $text) . " $text\n";
}

function sale(string $reference, array $more = []): array
{
    return $more + ['Kind' => 'Sale', 'Reference' => $reference, 'AuthorityDeviceId' => 1001, 'Body' => '{}'];
}

/** @return list<string> */
function salesOf(string $path): array
{
    $journal = new Tillseal\Outbox\Journal($path);
    $journal->refresh();
    return array_map(strval(...), array_keys($journal->sales));
}
