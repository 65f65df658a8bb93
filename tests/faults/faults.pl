# faults.pl: reads the tables of device faults (*.faults beside it), checks them, applies one to a copy of the model.
#   perl faults.pl check ROOT                      every entry is complete and still applies; what is wrong on stderr
#   perl faults.pl list ROOT                       one line an entry: name, group, area, ABI, sentence, then its also,
#                                                  allowed and survives, "-" where there is none; tabs between
#   perl faults.pl apply ROOT BUILD WORK NAME OUT  OUT/tests/device/... as the fault has it, and OUT/build.sh, which
#                                                  builds OUT/agpu_inprocess; BUILD is a build folder of ROOT, WORK
#                                                  holds what ninja says of it (link, deps: tests/mutate)
use strict;
use warnings;

my ($command, $root, @rest) = @ARGV;
die "usage: faults.pl check|list|apply ROOT ...\n" unless defined $root && -d "$root/tests/device";
my @problems;

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/;
    my $text = <$in>;
    return defined $text ? $text : '';
}

sub spill {
    my ($path, $text) = @_;
    my $folder = '';
    for my $part (split m{/}, $path =~ s{/[^/]*$}{}r) { # mkdir -p
        $folder .= "$part/";
        mkdir $folder unless -d $folder;
    }
    open my $out, '>', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
}

# The entries of one table: name, area, rule, says, abi, where, edits = [[file, old, new], ...].
sub read_table {
    my ($path) = @_;
    my ($table) = $path =~ m{([^/]*)\.faults$};
    my (@faults, $fault, $file, $old, $new);
    my $state = 'fields';
    my $number = 0;

    for my $line (split /\n/, slurp($path)) {
        my $where = "tests/faults/$table.faults:" . ++$number;
        if ($state eq 'old') {
            if ($line eq '====') { $state = 'new' } else { $old .= "$line\n" }
        } elsif ($state eq 'new') {
            if ($line eq '>>>>') {
                push @{ $fault->{edits} }, [$file, $old, $new];
                $state = 'fields';
            } else {
                $new .= "$line\n";
            }
        } elsif ($line eq '<<<<') {
            push @problems, "$where: <<<< before any file line" unless $fault && defined $file;
            ($old, $new, $state) = ('', '', 'old');
        } elsif ($line =~ /^\s*(#.*)?$/) {
            next;
        } elsif ($line =~ /^fault (\S+)$/) {
            my $name = $1;
            $fault = { name => $name, where => $where, table => $table, abi => "1.4", edits => [] };
            push @faults, $fault;
            undef $file;
        } elsif ($fault && $line =~ /^file (\S+)$/) {
            $file = $1;
        } elsif ($fault && $line =~ /^(area|rule|says|abi|program|also|allowed|survives) (.*\S)$/) {
            $fault->{$1} = $2;
        } else {
            push @problems, "$where: not understood: $line";
        }
    }
    push @problems, "tests/faults/$table.faults: ends inside an edit" if $state ne 'fields';
    return @faults;
}

# The model's source as the fault has it, by file; problems noted.
sub edited {
    my ($fault) = @_;
    my %text;

    for my $edit (@{ $fault->{edits} }) {
        my ($file, $old, $new) = @$edit;
        my $path = "$root/tests/device/$file";
        if (!-f $path) {
            push @problems, "$fault->{where}: $fault->{name}: no file tests/device/$file";
            next;
        }
        $text{$file} = slurp($path) unless defined $text{$file};
        my $count = () = $old eq '' ? () : "\n$text{$file}" =~ /(?<=\n)\Q$old\E/g;
        if ($count != 1) {
            push @problems, "$fault->{where}: $fault->{name}: its old lines stand $count times in tests/device/$file";
            next;
        }
        if ($old eq $new) {
            push @problems, "$fault->{where}: $fault->{name}: changes nothing";
            next;
        }
        $text{$file} =~ s/(?:^|(?<=\n))\Q$old\E/$new/;
    }
    return \%text;
}

my %spec;
sub spec_text {
    my ($file) = @_;
    if (!exists $spec{$file}) {
        my @found = grep { -f } map { "$root/$_/$file" } qw(pci ring mm umd-port);
        $spec{$file} = @found ? slurp($found[0]) : undef;
    }
    return $spec{$file};
}

my @faults = map { read_table($_) } sort glob "$root/tests/faults/*.faults";

# Subjects of the catalogue that have no table of their own; all of them are areas for `also`.
my %subject = map { $_ => 1 } qw(umd map vidmm stress);

sub check_citation {
    my ($at, $citation) = @_;
    my ($file, $section) = $citation =~ /^(\S+\.md)(?: (\d+(?:\.\d+)*))?$/;
    my $text = defined $file ? spec_text($file) : undef;
    if (!defined $text) {
        push @problems, "$at names no part of the specification: $citation";
    } elsif (defined $section && $text !~ /^#+ \Q$section\E(?![\d.]*\d)/m) {
        push @problems, "$at: $file has no section $section";
    }
}

sub check_entry {
    my ($fault) = @_;
    my $at = "$fault->{where}: $fault->{name}";

    push @problems, "$at: a name is lower-case letters, digits and underscores" if $fault->{name} !~ /^[a-z][a-z0-9_]*$/;
    for my $field (qw(area rule says)) {
        push @problems, "$at: no $field" unless defined $fault->{$field};
    }
    push @problems, "$at: nothing to edit" unless @{ $fault->{edits} };
    push @problems, "$at: abi is 1.4 or legacy" unless $fault->{abi} eq '1.4' || $fault->{abi} eq 'legacy';
    my $table = $fault->{abi} eq 'legacy' ? 'legacy' : $fault->{area} // '';
    push @problems, "$at: belongs into $table.faults" if $fault->{table} ne $table;
    push @problems, "$at: says is one sentence that ends with a point" if ($fault->{says} // '.') !~ /\.$/;
    check_citation("$at: rule", $fault->{rule}) if defined $fault->{rule};
    if (defined $fault->{allowed}) {
        my ($citation, $reason) = $fault->{allowed} =~ /^([^:]*): (\S.*\.)$/;
        push @problems, "$at: allowed is \"FILE.md SECTION: what it lets a device do.\"" unless defined $citation;
        check_citation("$at: allowed", $citation) if defined $citation;
    }
    if (defined $fault->{survives} && $fault->{survives} !~ /^(?:any|both): \S.*\.$/) {
        push @problems, "$at: survives is \"any: why.\" or \"both: why.\"";
    }
    for my $area (split / /, $fault->{also} // '') {
        push @problems, "$at: also: $area is no table" unless -f "$root/tests/faults/$area.faults" || $subject{$area};
        push @problems, "$at: also names its own area" if $area eq ($fault->{area} // '');
    }
    edited($fault);
}

if ($command eq 'check') {
    my %first;
    my %runtime = map { lc($_) => 1 } slurp("$root/tests/device/faults.h") =~ /^\s*VGPU_FAULT_(\w+),/mg;

    for my $fault (@faults) {
        my $name = $fault->{name};
        push @problems, "$fault->{where}: $name stands at $first{$name} too" if defined $first{$name};
        push @problems, "$fault->{where}: $name is a run-time fault of tests/device/faults.h" if $runtime{$name};
        $first{$name} = $fault->{where};
        check_entry($fault);
    }
    print STDERR "$_\n" for @problems;
    printf "%d faults in the tables, %d problems\n", scalar @faults, scalar @problems;
    exit(@problems ? 1 : 0);
}
if ($command eq 'list') {
    print STDERR "$_\n" for @problems;
    print join("\t", $_->{name}, $_->{table}, map { $_ // '-' } @$_{qw(area abi says also allowed survives)}), "\n" for @faults;
    exit(@problems ? 1 : 0);
}
die "unknown command: $command\n" if $command ne 'apply';

# Applies one, and says how to build it: changed sources, and what includes a changed header, before the libraries.
my ($build, $work, $name, $out) = @rest;
my ($fault) = grep { $_->{name} eq $name } @faults;
die "no fault $name\n" unless $fault;
my $text = edited($fault);
if (@problems) {
    print STDERR "$_\n" for @problems;
    exit 1;
}
my %rebuild;
for my $file (sort keys %$text) {
    spill("$out/tests/device/$file", $text->{$file});
    $rebuild{"$root/tests/device/$file"} = 1 if $file =~ /\.c$/;
}
my ($object, %includes);
for (split /\n/, slurp("$work/deps")) {
    if (/^(\S+): #deps/) { $object = $1 }
    elsif (/^\s+(\S+)/) { my $dep = $1; $dep =~ s{^(?:\.\./)+}{$root/}; $includes{$object}{$dep} = 1 }
}
my @headers = map { "$root/tests/device/$_" } grep { /\.h$/ } keys %$text;
my (@script, @objects, @helper);
my $commands = slurp("$build/compile_commands.json");
while ($commands =~ /"command": "((?:[^"\\]|\\.)*)",\s*"file": "([^"]*)"/g) {
    my ($compile, $source) = ($1, $2);
    $compile =~ s/\\(.)/$1/g;
    my ($made) = $compile =~ / -o (\S+) -c /;
    next unless defined $made && $made =~ m{/(?:vgpu_device|vgpu_render|vgpu_render_vulkan|agpu_host_platform)\.dir/};
    next unless $rebuild{$source} || grep { $includes{$made}{$_} } @headers;
    delete $rebuild{$source};
    my $object = "$out/" . @script . '.o';
    my $copy = $source =~ s{^\Q$root\E}{$out}r;
    $copy = $source unless -f $copy;
    $compile =~ s/ -o \S+ -c \S+/ -w -g0 -iquote $out -o $object -c $copy/;
    push @script, $compile;
    push @objects, $object;
    push @helper, $object if $made =~ m{/vgpu_render_vulkan\.dir/};
}
die "$name: not part of the in-process model: $_\n" for sort keys %rebuild;
if (@helper) { # the drawing process: found beside the program
    my ($command) = reverse split /\n/, `ninja -C $build -t commands bin/agpu-render`;
    $command =~ s{ -o \S+/agpu-render }{ -o $out/agpu-render @helper } or die "the link command is not understood: $command";
    push @script, $command;
    @objects = grep { my $o = $_; !grep { $_ eq $o } @helper } @objects;
}
my $link = slurp("$work/link");
$link =~ s{ -o \S+/agpu_inprocess }{ -s -o $out/agpu_inprocess @objects } or die "the link command is not understood: $link";
spill("$out/build.sh", join("\n", 'set -e', "cd $build", @script, $link, ''));
