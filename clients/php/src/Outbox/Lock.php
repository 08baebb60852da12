<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

use Tillseal\Error\OutboxError;

/**
 * The lock that programs in all languages share (docs/outbox.md): a file that only one can create, `PREFIX.N`; the highest N counts.
 *
 * @internal
 */
final class Lock
{
    /** Seconds without a sign of life, after which a holder counts as dead wherever it is. */
    private const DEAD_AFTER = 60;
    /** Seconds after which a lock without readable content belongs to a process that was killed while writing it. */
    private const UNWRITTEN_AFTER = 5;
    private const PATIENCE = 70;

    private readonly string $folder;
    private readonly string $name;

    public function __construct(string $prefix)
    {
        $this->folder = dirname($prefix);
        $this->name = basename($prefix);
    }

    /** Waits as long as a living process has it. */
    public function take(): Held
    {
        $until = hrtime(true) + self::PATIENCE * 1e9;
        while (($held = $this->tryTake()) === null) {
            if (hrtime(true) > $until) {
                throw new OutboxError("the lock $this->name was not released within " . self::PATIENCE . ' seconds');
            }
            usleep(random_int(10_000, 50_000));
        }
        return $held;
    }

    public function tryTake(): ?Held
    {
        while (true) {
            $highest = $this->highest();
            if ($highest > 0 && $this->isHeld($highest)) {
                return null;
            }
            $held = $this->create($highest + 1);
            if ($held === null) {
                continue; // Another was faster.
            }
            if ($held->isMine() && !($highest > 0 && $this->isHeld($highest))) {
                foreach ($this->generations() as $lower) {
                    if ($lower <= $highest) {
                        @unlink($this->path($lower));
                    }
                }
                return $held;
            }
            $held->abandon(); // Created from an old list.
        }
    }

    /** @return list<int> the lowest first */
    public function generations(): array
    {
        $names = @scandir($this->folder);
        if ($names === false) {
            throw new OutboxError("the folder $this->folder cannot be read");
        }
        $numbers = preg_filter('/^' . preg_quote($this->name, '/') . '\.(\d+)$/D', '$1', $names);
        $generations = array_map(intval(...), $numbers);
        sort($generations);
        return $generations;
    }

    public function highest(): int
    {
        return max([0, ...$this->generations()]);
    }

    public function path(int $generation): string
    {
        return "$this->folder/$this->name.$generation";
    }

    private function create(int $generation): ?Held
    {
        $path = $this->path($generation);
        $file = @fopen($path, 'xb');
        if ($file === false) {
            clearstatcache(true, $path);
            if (file_exists($path)) {
                return null;
            }
            $message = error_get_last()['message'] ?? '';
            return $this->highest() < $generation ? throw new OutboxError("$path cannot be created: $message") : null;
        }
        $content = json_encode([
            'Pid' => getmypid(),
            'Start' => Processes::startOf((int) getmypid()),
            'Init' => Processes::startOf(1),
            'Token' => bin2hex(random_bytes(8)),
        ], JSON_THROW_ON_ERROR);
        @chmod($path, 0644);
        $isWritten = @fwrite($file, $content) === strlen($content);
        $message = error_get_last()['message'] ?? '';
        fclose($file);
        if (!$isWritten) {
            @unlink($path);
            throw new OutboxError("$path cannot be written: $message");
        }
        return new Held($this, $generation, $content);
    }

    private function isHeld(int $generation): bool
    {
        $path = $this->path($generation);
        clearstatcache(true, $path);
        $modifiedAt = @filemtime($path);
        if ($modifiedAt === false) {
            return true; // A higher one has removed it: look again.
        }
        $age = abs(microtime(true) - $modifiedAt);
        $owner = json_decode((string) @file_get_contents($path), true);
        if ($owner === []) {
            return false;
        }
        if (!isset($owner['Pid'], $owner['Start'], $owner['Init'])) {
            return $age <= self::UNWRITTEN_AFTER;
        }
        return $age <= self::DEAD_AFTER
            && !Processes::isDead((int) $owner['Pid'], (string) $owner['Start'], (string) $owner['Init']);
    }
}
