<?php

declare(strict_types=1);

// For programs without Composer.
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/' . str_replace('\\', '/', substr($class, strlen('Tillseal\\'))) . '.php';
    if (str_starts_with($class, 'Tillseal\\') && is_file($file)) {
        require $file;
    }
});
